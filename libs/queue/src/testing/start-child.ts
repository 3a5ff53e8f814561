import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ChildOrders } from './child-worker.js';

export interface Child {
  /** The next event of this name, also one that has already come. */
  event(name: string): Promise<Record<string, unknown>>;
  /** SIGKILL, and wait until it is gone. */
  kill(): Promise<void>;
  readonly gone: Promise<void>;
}

/** Sources import each other as `./x.js`; Node runs the TypeScript beside it, so that no build is needed. */
const resolveSources = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ resolve(specifier, context, next) {
    if (/^[.].*[.]js$/.test(specifier)) try { return next(specifier.slice(0, -2) + 'ts', context); } catch {}
    return next(specifier, context);
  } });`)}`;

/** Starts `child-worker.ts`, straight from its source, and waits until it works. */
export async function startChild(orders: ChildOrders, environment: Record<string, string> = {}): Promise<Child> {
  const script = fileURLToPath(new URL('./child-worker.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--no-warnings', '--experimental-transform-types', '--import', resolveSources, script],
    {
      env: { PATH: process.env.PATH, ...environment, CHILD_ORDERS: JSON.stringify(orders) },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const came = new Map<string, Record<string, unknown>>();
  const waiting = new Map<string, PromiseWithResolvers<Record<string, unknown>>>();
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Record<string, unknown>;
    came.set(String(message.event), message);
    waiting.get(String(message.event))?.resolve(message);
  });
  const event = (name: string): Promise<Record<string, unknown>> => {
    const already = came.get(name);
    if (already) return Promise.resolve(already);
    const promised = waiting.get(name) ?? Promise.withResolvers<Record<string, unknown>>();
    waiting.set(name, promised);
    void gone.then(() => promised.reject(new Error(`the child ended before "${name}": ${errors}`)));
    return promised.promise;
  };
  await event('ready');
  return {
    event,
    gone,
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
