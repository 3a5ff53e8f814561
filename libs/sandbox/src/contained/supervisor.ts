import type { Service } from '@phaseline/contracts';

/** Exit code of a command whose service did not become ready. */
const NOT_READY = 125;
/** Beginning of the line on the standard error that says which service did not become ready, counted from 1. */
const NOT_READY_LINE = 'services: not ready: ';
const TIMED_OUT = 'timeout';
const ALREADY_TAKEN = 'taken';

/**
 * Program that runs inside a sandbox: it starts the services of a command, waits until each is ready, and runs the command as its
 * child. When the command ends, it ends, and the sandbox ends the services with it. Their output goes to the standard error, so that it is
 * never taken for that of the command. Of each it forwards a limited number of bytes.
 */
const SUPERVISOR = `
const { spawn } = require('node:child_process');
const { connect } = require('node:net');
const { get } = require('node:http');
const { constants } = require('node:os');
const { services, command } = JSON.parse(process.argv[1]);
const MAX_FORWARDED = 65536, INTERVAL_MS = 50, MAX_TRY_MS = 5000;
const children = [];
const finish = (code) => { for (const child of children) child.kill('SIGKILL'); process.exit(code); };
function start({ argv: [file, ...args], ready }) {
  const state = { text: '', isLogged: false, ended: undefined };
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  child.on('error', (error) => { state.ended = error.code || 'error'; });
  child.on('exit', (code, signal) => { state.ended = signal || 'exit code ' + code; });
  let forwarded = 0;
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => {
    if (forwarded < MAX_FORWARDED) process.stderr.write(chunk.subarray(0, MAX_FORWARDED - forwarded));
    forwarded += chunk.length;
    if (!ready.log || state.isLogged) return;
    state.text += chunk.toString('latin1');
    const text = Buffer.from(ready.log).toString('latin1');
    state.isLogged = state.text.includes(text);
    state.text = state.text.slice(-text.length);
  });
  return state;
}
const tryPort = (port) => new Promise((resolve) => {
  const socket = connect({ port, host: '127.0.0.1', timeout: MAX_TRY_MS });
  const end = (isReady) => { socket.destroy(); resolve(isReady); };
  socket.on('connect', () => end(true)).on('error', () => end(false)).on('timeout', () => end(false));
});
const tryHttp = (url) => new Promise((resolve) => {
  const request = get(url, { timeout: MAX_TRY_MS }, (response) => { response.resume(); resolve(response.statusCode < 500); });
  request.on('error', () => resolve(false)).on('timeout', () => request.destroy());
});
const isReady = ({ ready }, state) => ready.port ? tryPort(ready.port) : ready.http ? tryHttp(ready.http) : state.isLogged;
const refuse = (index, reason) => { console.error('\\n${NOT_READY_LINE}' + (index + 1) + ' ' + reason); finish(${NOT_READY}); };
(async () => {
  for (const [index, service] of services.entries()) {
    // What answers before it starts is another program.
    if (!service.ready.log && (await isReady(service))) return refuse(index, '${ALREADY_TAKEN}');
    const state = start(service);
    const until = Date.now() + service.timeoutMs;
    for (;;) {
      const isUp = await isReady(service, state);
      if (isUp && state.ended === undefined) break;
      if (state.ended !== undefined || Date.now() >= until) return refuse(index, state.ended ?? '${TIMED_OUT}');
      await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    }
  }
  const [file, ...args] = command;
  const child = spawn(file, args, { stdio: 'inherit' });
  child.on('error', (error) => { console.error(file + ': ' + error.message); finish(127); });
  child.on('exit', (code, signal) => finish(signal ? 128 + constants.signals[signal] : code));
})();
`;

/** Returns the arguments of Node.js that run a command beside its services. */
export function buildSupervisedArguments(services: readonly Service[], command: readonly string[]): string[] {
  return ['-e', SUPERVISOR, JSON.stringify({ services, command })];
}

/**
 * Returns the number of the service that did not become ready, counted from 1, and why as part of a sentence. `undefined` if all became
 * ready.
 */
export function findServiceNotReady(
  exitCode: number | null,
  stderr: string,
): { readonly number: number; readonly reason: string } | undefined {
  if (exitCode !== NOT_READY) return undefined;
  const [, number, reason] = /^services: not ready: (\d{1,2}) ([\w ]{1,40})$/m.exec(stderr.slice(-1_000)) ?? [];
  if (number === undefined || reason === undefined) return undefined;
  const sentences: Record<string, string> = {
    [TIMED_OUT]: 'was not ready in time',
    [ALREADY_TAKEN]: 'could not start, because another program answers in its place',
  };
  return { number: Number(number), reason: sentences[reason] ?? `ended before it was ready (${reason})` };
}
