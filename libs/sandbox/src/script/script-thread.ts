import { readFile } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  DefaultIntrinsics,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSDeferredPromise,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import type { RunStarted, ScriptCallResult, ScriptCall, ScriptLimits, ScriptOutcome, ScriptRun } from './script-run.js';

/*
 * Runs scripts one after another in a separate thread, so that no script can block the process: the thread is terminated from
 * outside. Each run has its own engine, isolated from all others. This file imports none of our modules at run time, because tests
 * start it from its source.
 */

/** Runs before the script and removes everything nondeterministic. The script reaches the host functions only through its closures. */
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
  Math.random = () => { throw new Error('Math.random is not available in a script.'); };
  for (const name of ['Date', 'WeakRef', 'FinalizationRegistry', 'performance']) delete globalThis[name];
})()`;

/** Formats the returned value. It captures `JSON.stringify` before the script can replace it. */
const STRINGIFY = `(() => { const { stringify } = JSON; return (value) => typeof value === 'string' ? value : stringify(value, null, 1) ?? 'nothing'; })()`;

/** Ends the run with an outcome, even when the script catches all errors. */
class RunEnded extends Error {
  readonly outcome: ScriptOutcome;
  constructor(outcome: ScriptOutcome) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

interface PendingCall {
  readonly ask: ScriptCall;
  readonly promise: QuickJSDeferredPromise;
}

class Run {
  private readonly runtime: QuickJSRuntime;
  private readonly context: QuickJSContext;
  private readonly run: ScriptRun;
  private readonly calls: PendingCall[] = [];
  private readonly limits: ScriptLimits;
  private ended: ScriptOutcome | undefined;
  private interrupts = 0;
  private readonly printed: string[] = [];
  private printedCharacters = 0;
  private settledCalls = 0;

  constructor(runtime: QuickJSRuntime, context: QuickJSContext, run: ScriptRun) {
    this.runtime = runtime;
    this.context = context;
    this.run = run;
    this.limits = run.limits;
    runtime.setMemoryLimit(run.limits.memoryBytes);
    runtime.setMaxStackSize(run.limits.stackBytes);
    // The engine calls this after a number of steps rather than after a time, so that a run behaves the same on every machine.
    runtime.setInterruptHandler(() => (this.interrupts += 1) > run.limits.interrupts || this.ended !== undefined);
  }

  outcome(): ScriptOutcome {
    try {
      return this.evaluate();
    } catch (error) {
      if (error instanceof RunEnded) return error.outcome;
      return this.buildFailure('script_failed', error instanceof Error ? error.message : String(error));
    }
  }

  private evaluate(): ScriptOutcome {
    this.installHost();
    this.unwrap(this.context.evalCode(PRELUDE, 'prelude.js')).dispose();
    const stringify = this.unwrap(this.context.evalCode(STRINGIFY, 'result.js'));
    // The wrapper is on the script's first line, so that line numbers stay correct.
    const promise = this.unwrap(this.context.evalCode(`(async () => { ${this.run.code}\n})()`, 'script.js'));
    for (;;) {
      this.runJobs();
      const state = this.context.getPromiseState(promise);
      if (state.type === 'fulfilled') {
        const text = this.unwrap(this.context.callFunction(stringify, this.context.undefined, state.value));
        return { kind: 'returned', text: this.context.getString(text), printed: this.printed };
      }
      if (state.type === 'rejected') return this.describeError(state.error);
      if (this.settledCalls === this.calls.length)
        return this.buildFailure(
          'script_stuck',
          'The script waits for a promise that never resolves. Only tool calls are asynchronous.',
        );
      const open = this.calls.slice(this.run.results.length);
      // Resume only when all calls of a wave have ended: this makes the next run deterministic.
      if (open.length > 0) return { kind: 'calls', calls: open.map(({ ask }) => ask) };
      this.settleWave();
    }
  }

  private installHost(): void {
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
    const index = this.calls.length;
    if (index >= this.limits.calls)
      return this.end(
        'script_calls',
        `The script made more than ${this.limits.calls} tool calls. Split it into several scripts.`,
      );
    const args: unknown = text.length <= this.limits.argumentCharacters ? tryParseJson(text) : undefined;
    if (typeof args !== 'object' || args === null || Array.isArray(args))
      throw new TypeError(
        `tools.${name} takes one object of at most ${this.limits.argumentCharacters} characters of JSON`,
      );
    const ask = { name, arguments: args as ScriptCall['arguments'] };
    const known = this.run.results[index];
    if (known && !isSame(known, ask))
      return this.end(
        'script_diverged',
        `Call ${index + 1} was ${known.name} before, and is ${name} now. A script must make the same calls each time it runs.`,
      );
    const promise = this.context.newPromise();
    this.calls.push({ ask, promise });
    return promise.handle;
  }

  private print(words: string): void {
    const room = this.limits.printedCharacters - this.printedCharacters;
    if (room <= 0) return;
    this.printed.push(words.length > room ? `${words.slice(0, room)} […]` : words);
    this.printedCharacters += words.length + 1;
  }

  private settleWave(): void {
    const wave = this.calls.slice(this.settledCalls);
    this.settledCalls = this.calls.length;
    wave.forEach(({ promise }, at) => {
      const answer = this.run.results[this.settledCalls - wave.length + at]!;
      if (answer.isOk) this.context.newString(answer.result).consume((handle) => promise.resolve(handle));
      else
        this.context
          .newError({ name: 'ToolError', message: answer.result })
          .consume((handle) => promise.reject(handle));
    });
  }

  private runJobs(): void {
    for (let jobs = 0; this.runtime.hasPendingJob();) {
      const done = this.runtime.executePendingJobs(1_000);
      if (this.ended) throw new RunEnded(this.ended);
      if (done.error) throw new RunEnded(this.describeError(done.error));
      jobs += done.value;
      if (jobs > this.limits.promiseJobs)
        throw new RunEnded(this.buildFailure('script_steps', 'The script does not terminate.'));
    }
    if (this.ended) throw new RunEnded(this.ended);
  }

  private unwrap(result: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    if (this.ended) throw new RunEnded(this.ended);
    if (result.error) throw new RunEnded(this.describeError(result.error));
    return result.value;
  }

  private describeError(error: QuickJSHandle): ScriptOutcome {
    if (this.ended) return this.ended;
    if (this.interrupts > this.limits.interrupts)
      return this.buildFailure('script_steps', 'The script exceeded its step limit. Do less in one script.');
    const dumped = this.context.dump(error) as unknown;
    const { name, message, stack } = (typeof dumped === 'object' && dumped !== null ? dumped : {}) as Record<
      string,
      unknown
    >;
    const words =
      message === undefined
        ? `The script threw ${String(JSON.stringify(dumped)).slice(0, 500)}`
        : `${String(name)}: ${String(message)}`;
    const line = /script\.js:(\d+)/.exec(String(stack))?.[1];
    return this.buildFailure('script_failed', `${words.slice(0, 2_000)}${line === undefined ? '' : ` (line ${line})`}`);
  }

  /** Ends the run from a host function. The script cannot catch the error: it is interrupted before its next step. */
  private end(code: string, message: string): never {
    this.ended = this.buildFailure(code, message);
    throw new Error(message);
  }

  private buildFailure(code: string, message: string): ScriptOutcome {
    return { kind: 'failed', code, message, printed: this.printed };
  }
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a call repeats an earlier one. Of a refused call only the name is known. */
function isSame(known: ScriptCallResult, ask: ScriptCall): boolean {
  return (
    known.name === ask.name && (known.isRefused || toCanonicalJson(known.arguments) === toCanonicalJson(ask.arguments))
  );
}

function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${toCanonicalJson(one)}`).join(',')}}`;
}

/** The part of WebAssembly that is used. The libraries that TypeScript is configured with do not declare it. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<object> };

/** The code of the engine, compiled once per thread: compiling takes longer than most runs. Each run has an instance with its own memory. */
let compiled: Promise<object> | undefined;

async function compileEngine(): Promise<object> {
  const file = new URL(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));
  return WebAssembly.compile(new Uint8Array(await readFile(file)));
}

async function runInEngine(run: ScriptRun): Promise<ScriptOutcome> {
  const wasmModule = await (compiled ??= compileEngine());
  // The package's types describe a different build from the one that is loaded.
  const quickjs = await newQuickJSWASMModuleFromVariant(
    newVariant(variant as unknown as QuickJSSyncVariant, { wasmModule }),
  );
  const runtime = quickjs.newRuntime();
  const context = runtime.newContext({ intrinsics: DefaultIntrinsics });
  // Nothing is disposed: the whole engine with its memory is dropped after each run.
  return new Run(runtime, context, run).outcome();
}

parentPort?.on('message', (run: ScriptRun) => {
  parentPort?.postMessage('started' satisfies RunStarted);
  void runInEngine(run).then((outcome) => parentPort?.postMessage(outcome));
});
