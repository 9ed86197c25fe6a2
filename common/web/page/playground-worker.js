// Runs the simulated device away from the page, so that the page stays alive and can stop it.
'use strict';

// It is compiled as it arrives, and device.js is loaded meanwhile.
const compiled = async name => {
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  const unpacked = answer.body.pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compileStreaming(new Response(unpacked, {headers: {'Content-Type': 'application/wasm'}}));
};

const device = (async () => {
  const code = compiled('device.wasm.gz');
  importScripts('device.js');
  return new Promise(
      (done, failed) => asynclab({
                          instantiateWasm(imports, made) {
                            code.then(async module => made(await WebAssembly.instantiate(module, imports), module)).catch(failed);
                            return {};
                          },
                        }).then(done, failed));
})();

// As bytes: ccall would reserve four times as many for a string.
const run = (module, request) =>
    JSON.parse(module.ccall('asynclab_run', 'string', ['array'], [new TextEncoder().encode(JSON.stringify(request) + '\0')]));

self.onmessage = async ({data: {id, files, request}}) => {
  try {
    const module = await device;
    for (const [name, text] of Object.entries(files)) {
      module.FS.mkdirTree(name.replace(/\/[^/]*$/, '') || '/');
      module.FS.writeFile(name, text);
    }
    const began = performance.now();
    const answer = run(module, request);
    postMessage({id, answer, milliseconds: performance.now() - began});
  } catch (problem) {
    postMessage({id, answer: {verdict: 'problem', message: String(problem), next: ''}, milliseconds: 0});
  }
};
