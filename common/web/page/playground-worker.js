// Runs the simulated device away from the page, so that the page stays alive and can stop it.
'use strict';

const unpacked = async name => {
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return new Response(answer.body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
};

const device = (async () => {
  importScripts('device.js');
  return asynclab({wasmBinary: await unpacked('device.wasm.gz')});
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
