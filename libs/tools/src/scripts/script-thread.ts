import { parentPort } from 'node:worker_threads';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  DefaultIntrinsics,
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSDeferredPromise,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import type { ScriptAnswer, ScriptAsk, ScriptLimits, ScriptOutcome, ScriptRun } from './script-run.js';

/*
 * Runs scripts one after the other in a thread of its own, so that nothing a script does can hold up the process: the thread is
 * ended from outside. Each run has an engine of its own, from which nothing leads to another. It imports nothing of ours at run
 * time, because tests start it from its source.
 */

/** Runs first, and takes away what would differ from run to run. What the script may use of the host is in its closures. */
const PRELUDE = `(() => {
  const { ask, print } = globalThis.__host;
  delete globalThis.__host;
  const { stringify } = JSON;
  const text = String;
  const shown = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return text(value);
    try { return stringify(value) ?? text(value); } catch { return text(value); }
  };
  const line = (...values) => { let words = ''; for (let i = 0; i < values.length; i += 1) words += (i ? ' ' : '') + shown(values[i]); print(words); };
  globalThis.console = Object.freeze({ log: line, info: line, warn: line, error: line, debug: line });
  globalThis.tools = new Proxy(Object.freeze(Object.create(null)), {
    get: (_target, name) => typeof name === 'symbol' || name === 'then' ? undefined : (args = {}) => ask(name, stringify(args) ?? ''),
  });
  Math.random = () => { throw new Error('There is no randomness in a script.'); };
  for (const name of ['Date', 'WeakRef', 'FinalizationRegistry', 'performance']) delete globalThis[name];
})()`;

/** In the result, so that JSON of the script's own making cannot be taken for it. */
const STRINGIFY = `(() => { const { stringify } = JSON; return (value) => typeof value === 'string' ? value : stringify(value, null, 1) ?? 'nothing'; })()`;

/** Ends the run, whatever the script catches. */
class Ended extends Error {
  readonly outcome: ScriptOutcome;
  constructor(outcome: ScriptOutcome) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

interface Waiting {
  readonly ask: ScriptAsk;
  readonly promise: QuickJSDeferredPromise;
}

class Run {
  private readonly runtime: QuickJSRuntime;
  private readonly context: QuickJSContext;
  private readonly run: ScriptRun;
  private readonly asked: Waiting[] = [];
  private readonly limits: ScriptLimits;
  private ended: ScriptOutcome | undefined;
  private interrupts = 0;
  private readonly printed: string[] = [];
  private printedCharacters = 0;
  private settled = 0;

  constructor(runtime: QuickJSRuntime, context: QuickJSContext, run: ScriptRun) {
    this.runtime = runtime;
    this.context = context;
    this.run = run;
    this.limits = run.limits;
    runtime.setMemoryLimit(run.limits.memoryBytes);
    runtime.setMaxStackSize(run.limits.stackBytes);
    // Called by count of steps and not by a clock, so that a run takes the same way everywhere.
    runtime.setInterruptHandler(() => (this.interrupts += 1) > run.limits.interrupts || this.ended !== undefined);
  }

  outcome(): ScriptOutcome {
    try {
      return this.evaluate();
    } catch (error) {
      if (error instanceof Ended) return error.outcome;
      return this.failed('script_failed', error instanceof Error ? error.message : String(error));
    }
  }

  private evaluate(): ScriptOutcome {
    this.host();
    this.value(this.context.evalCode(PRELUDE, 'prelude.js')).dispose();
    const stringify = this.value(this.context.evalCode(STRINGIFY, 'result.js'));
    // On one line with the first of the script, so that its lines keep their numbers.
    const promise = this.value(this.context.evalCode(`(async () => { ${this.run.code}\n})()`, 'script.js'));
    for (;;) {
      this.drain();
      const state = this.context.getPromiseState(promise);
      if (state.type === 'fulfilled') {
        const text = this.value(this.context.callFunction(stringify, this.context.undefined, state.value));
        return { kind: 'returned', text: this.context.getString(text), printed: this.printed };
      }
      if (state.type === 'rejected') return this.thrown(state.error);
      if (this.settled === this.asked.length)
        return this.failed(
          'script_stuck',
          'The script waits for something that never comes: only calls of tools take time.',
        );
      const open = this.asked.slice(this.run.answers.length);
      // All calls of a wave end before any of them goes on: that is what makes the next run take the same way.
      if (open.length > 0) return { kind: 'asks', asks: open.map(({ ask }) => ask) };
      this.settleWave();
    }
  }

  private host(): void {
    const { context } = this;
    const ask = context.newFunction('ask', (name, args) => this.ask(context.getString(name), context.getString(args)));
    const print = context.newFunction('print', (words) => this.print(context.getString(words)));
    const host = context.newObject();
    context.setProp(host, 'ask', ask);
    context.setProp(host, 'print', print);
    context.setProp(context.global, '__host', host);
    for (const handle of [ask, print, host]) handle.dispose();
  }

  private ask(name: string, text: string): QuickJSHandle {
    const index = this.asked.length;
    if (index >= this.limits.calls)
      return this.end(
        'script_calls',
        `The script called more than ${this.limits.calls} tools. Do it in several scripts.`,
      );
    const args: unknown = text.length <= this.limits.argumentCharacters ? parsed(text) : undefined;
    if (typeof args !== 'object' || args === null || Array.isArray(args))
      throw new TypeError(
        `tools.${name} takes one object of at most ${this.limits.argumentCharacters} characters of JSON`,
      );
    const ask = { name, arguments: args as ScriptAsk['arguments'] };
    const known = this.run.answers[index];
    if (known && !isSame(known, ask))
      return this.end(
        'script_diverged',
        `Call ${index + 1} was ${known.name} before, and is ${name} now. A script must take the same way each time.`,
      );
    const promise = this.context.newPromise();
    this.asked.push({ ask, promise });
    return promise.handle;
  }

  private print(words: string): void {
    const room = this.limits.printedCharacters - this.printedCharacters;
    if (room <= 0) return;
    this.printed.push(words.length > room ? `${words.slice(0, room)} […]` : words);
    this.printedCharacters += words.length + 1;
  }

  private settleWave(): void {
    const wave = this.asked.slice(this.settled);
    this.settled = this.asked.length;
    wave.forEach(({ promise }, at) => {
      const answer = this.run.answers[this.settled - wave.length + at]!;
      if (answer.ok) this.context.newString(answer.result).consume((handle) => promise.resolve(handle));
      else
        this.context
          .newError({ name: 'ToolError', message: answer.result })
          .consume((handle) => promise.reject(handle));
    });
  }

  private drain(): void {
    for (let jobs = 0; this.runtime.hasPendingJob();) {
      const done = this.runtime.executePendingJobs(1_000);
      if (this.ended) throw new Ended(this.ended);
      if (done.error) throw new Ended(this.thrown(done.error));
      jobs += done.value;
      if (jobs > this.limits.jobs) throw new Ended(this.failed('script_steps', 'The script goes on without end.'));
    }
    if (this.ended) throw new Ended(this.ended);
  }

  private value(result: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    if (this.ended) throw new Ended(this.ended);
    if (result.error) throw new Ended(this.thrown(result.error));
    return result.value;
  }

  private thrown(error: QuickJSHandle): ScriptOutcome {
    if (this.ended) return this.ended;
    if (this.interrupts > this.limits.interrupts)
      return this.failed('script_steps', 'The script took too many steps. Do less in one script.');
    const told = this.context.dump(error) as unknown;
    const { name, message, stack } = (typeof told === 'object' && told !== null ? told : {}) as Record<string, unknown>;
    const words =
      message === undefined
        ? `The script threw ${String(JSON.stringify(told)).slice(0, 500)}`
        : `${String(name)}: ${String(message)}`;
    const line = /script\.js:(\d+)/.exec(String(stack))?.[1];
    return this.failed('script_failed', `${words.slice(0, 2_000)}${line === undefined ? '' : ` (line ${line})`}`);
  }

  /** From inside of a function of the host: the script cannot catch it, because it is interrupted before its next step. */
  private end(code: string, message: string): never {
    this.ended = this.failed(code, message);
    throw new Error(message);
  }

  private failed(code: string, message: string): ScriptOutcome {
    return { kind: 'failed', code, message, printed: this.printed };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What was refused is known by its name alone. */
function isSame(known: ScriptAnswer, ask: ScriptAsk): boolean {
  return known.name === ask.name && (known.refused || canonical(known.arguments) === canonical(ask.arguments));
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(',')}}`;
}

async function main(run: ScriptRun): Promise<ScriptOutcome> {
  // Its types speak of another form of the package than the one that is loaded.
  const quickjs = await newQuickJSWASMModuleFromVariant(variant as unknown as QuickJSSyncVariant);
  const runtime = quickjs.newRuntime();
  const context = runtime.newContext({ intrinsics: DefaultIntrinsics });
  // Nothing is freed by hand: the whole engine, with its memory, is left behind each run.
  return new Run(runtime, context, run).outcome();
}

parentPort?.on('message', (run: ScriptRun) => {
  void main(run).then((outcome) => parentPort?.postMessage(outcome));
});
