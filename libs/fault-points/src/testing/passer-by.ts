/** A process for specs: passes one fault point again and again, and says how often it has. */
import { setTimeout as sleep } from 'node:timers/promises';
import { faultPoint } from '../fault-point.js';

let late = 0;
let last = performance.now();
setInterval(() => {
  late = Math.max(late, performance.now() - last);
  last = performance.now();
}, 10).unref();
for (let passed = 1; passed <= 6; passed += 1) {
  await sleep(20);
  faultPoint('worker.before-append', `stream-${passed}`);
  console.log(`passed ${passed}`);
}
await sleep(30);
console.log(`late ${Math.round(late)}`);
