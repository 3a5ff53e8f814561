/**
 * A process for specs that behaves like a service as far as the supervisor can see: answers on 127.0.0.1:PORT, ends on SIGTERM
 * and when its standard input ends. DUMMY_MODE: `well`, `crash` (ends before it listens), `bad-config`, `never-ready`,
 * `stubborn` (ignores SIGTERM).
 */
import { createServer } from 'node:http';

const mode = process.env.DUMMY_MODE ?? 'well';
console.log(`dummy ${mode} begins`);
if (mode === 'crash') throw new Error('the dummy broke on purpose');
if (mode === 'bad-config') {
  console.log('DATABASE_URL: is missing');
  process.exit(78);
}
const ready = mode !== 'never-ready';
createServer((_request, response) => {
  response.writeHead(ready ? 200 : 503, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ pid: process.pid, message: ready ? 'ready' : 'the moon is not full' }));
}).listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  console.log('asked to end');
  if (mode !== 'stubborn') process.exit(0);
});
if (process.env.PHASELINE_PARENT_WATCH === '1') process.stdin.once('end', () => process.exit(70)).resume();
