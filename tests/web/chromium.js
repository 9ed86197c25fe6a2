// Opens a page in chromium without a window and evaluates expressions in it, one after the other, each until its value is
// true: node chromium.js CHROMIUM PROFILE URL EXPRESSION…. Prints a JSON list of {"value", "milliseconds"}, the time since
// the page was asked for, and what the page wrote to its console.
'use strict';
const {spawn} = require('child_process');
const [program, profile, url, ...expressions] = process.argv.slice(2);
const browser = spawn(
    program,
    [
      '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking',
      '--window-size=1400,1200', `--user-data-dir=${profile}`, '--remote-debugging-pipe', 'about:blank'
    ],
    {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
const waiting = new Map(), logged = [];
let received = Buffer.alloc(0), number = 0, bytes = 0;
browser.stdio[4].on('data', data => {
  received = Buffer.concat([received, data]);
  for (let end; (end = received.indexOf(0)) >= 0; received = received.subarray(end + 1)) {
    const message = JSON.parse(received.subarray(0, end));
    if (message.id)
      waiting.get(message.id)(message.result || {error: message.error});
    else if (message.method === 'Runtime.exceptionThrown')
      logged.push(message.params.exceptionDetails.exception?.description);
    else if (message.method === 'Runtime.consoleAPICalled')
      logged.push(message.params.args.map(one => one.value).join(' '));
    else if (message.method === 'Network.loadingFinished')
      bytes += message.params.encodedDataLength;
  }
});
const send = (method, params = {}, sessionId) => new Promise(done => {
  waiting.set(++number, done);
  browser.stdio[3].write(JSON.stringify({id: number, method, params, sessionId}) + '\0');
});
(async () => {
  const {targetInfos} = await send('Target.getTargets');
  const {sessionId} = await send('Target.attachToTarget', {targetId: targetInfos.find(one => one.type === 'page').targetId, flatten: true});
  await send('Runtime.enable', {}, sessionId);
  await send('Network.enable', {}, sessionId);
  const began = performance.now();
  await send('Page.navigate', {url}, sessionId);
  const results = [];
  for (const expression of expressions)
    for (;;) {
      const {result} = await send('Runtime.evaluate', {expression, returnByValue: true, awaitPromise: true}, sessionId);
      if ((result && result.value) || performance.now() - began > 50000) {
        results.push({value: result && result.value, milliseconds: Math.round(performance.now() - began)});
        break;
      }
      await new Promise(done => setTimeout(done, 50));
    }
  if (process.env.PICTURE) {
    const {data} = await send('Page.captureScreenshot', {captureBeyondViewport: true}, sessionId);
    require('fs').writeFileSync(process.env.PICTURE, Buffer.from(data, 'base64'));
  }
  console.log(JSON.stringify({results, logged, bytes}));
  browser.kill();
})();
