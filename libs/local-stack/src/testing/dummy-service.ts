/**
 * A process for specs that behaves like a service for the supervisor: responds on 127.0.0.1:PORT and exits on SIGTERM and when its
 * standard input ends. DUMMY_MODE: `well`, `crash` (exits before it listens), `bad-config`, `never-ready`, `stubborn` (ignores SIGTERM),
 * `catching-up` (reports progress for 3 s, then is ready), `standing` (always reports the same progress).
 */
import { createServer } from 'node:http';

const mode = process.env.DUMMY_MODE ?? 'well';
console.log(`dummy ${mode} begins`);
if (mode === 'crash') throw new Error('the dummy broke on purpose');
if (mode === 'bad-config') {
  console.log('DATABASE_URL: is missing');
  process.exit(78);
}
const CATCH_UP_MS = 3_000;
const startedAt = Date.now();
createServer((_request, response) => {
  const done = mode === 'catching-up' ? Math.min(Date.now() - startedAt, CATCH_UP_MS) : 7;
  const isBehind = mode === 'standing' || (mode === 'catching-up' && done < CATCH_UP_MS);
  const ready = mode !== 'never-ready' && !isBehind;
  response.writeHead(ready ? 200 : 503, { 'content-type': 'application/json' });
  const message = isBehind ? `catching up, ${done} of ${CATCH_UP_MS} events` : 'the dummy is never ready';
  const checks = isBehind ? { control: { ok: false, progress: { done, total: CATCH_UP_MS } } } : {};
  response.end(JSON.stringify({ pid: process.pid, message: ready ? 'ready' : message, checks }));
}).listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  console.log('received SIGTERM');
  if (mode !== 'stubborn') process.exit(0);
});
if (process.env.PHASELINE_STOP_ON_STDIN_END === '1') process.stdin.once('end', () => process.exit(70)).resume();
