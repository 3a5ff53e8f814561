/** A process for specs that reaches one fault point six times and prints a line after each, then the longest delay of a timer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { faultPoint } from '../fault-point.js';

let maxDelayMs = 0;
let last = performance.now();
setInterval(() => {
  maxDelayMs = Math.max(maxDelayMs, performance.now() - last);
  last = performance.now();
}, 10).unref();
for (let passed = 1; passed <= 6; passed += 1) {
  await sleep(20);
  faultPoint('worker.before-append', `stream-${passed}`);
  console.log(`passed ${passed}`);
}
await sleep(30);
console.log(`late ${Math.round(maxDelayMs)}`);
