import { describe, expect, it } from 'vitest';
import {
  runInThread,
  type ScriptCallResult,
  type ScriptCall,
  type ScriptLimits,
  type ScriptOutcome,
} from '@phaseline/sandbox';
import { SCRIPT_LIMITS } from './run-script.js';

const runOnce = (
  code: string,
  answers: ScriptCallResult[] = [],
  limits: Partial<ScriptLimits> = {},
): Promise<ScriptOutcome> => runInThread({ code, results: answers, limits: { ...SCRIPT_LIMITS, ...limits } });

/** Runs a script until it ends; `tool` returns the result of a call or throws. `waves` lists the calls of each run. */
async function runToEnd(
  code: string,
  tool: (ask: ScriptCall) => string,
): Promise<{ outcome: ScriptOutcome; waves: string[][] }> {
  const answers: ScriptCallResult[] = [];
  const waves: string[][] = [];
  for (;;) {
    const outcome = await runOnce(code, answers);
    if (outcome.kind !== 'calls') return { outcome, waves };
    waves.push(outcome.calls.map(({ name }) => name));
    for (const ask of outcome.calls) {
      try {
        answers.push({ ...ask, isOk: true, result: tool(ask), isRefused: false });
      } catch (error) {
        answers.push({ ...ask, isOk: false, result: (error as Error).message, isRefused: false });
      }
    }
  }
}

describe('a script', () => {
  it('returns its value and what it printed', async () => {
    expect(await runOnce('console.log("a", [1], {b: 2}); return {sum: 1 + 2}')).toEqual({
      kind: 'returned',
      text: '{\n "sum": 3\n}',
      printed: ['a [1] {"b":2}'],
    });
    expect(await runOnce('return "plain"')).toMatchObject({ text: 'plain' });
    expect(await runOnce('')).toMatchObject({ text: 'nothing' });
  });

  it('continues with the results of its calls, and makes concurrent calls together', async () => {
    const { outcome, waves } = await runToEnd(
      `const names = JSON.parse(await tools.list({}));
       const texts = await Promise.all(names.map((name) => tools.read({ name })));
       return texts.join('+');`,
      ({ name, arguments: args }) => (name === 'list' ? '["x","y"]' : `text of ${String(args['name'])}`),
    );
    expect(waves).toEqual([['list'], ['read', 'read']]);
    expect(outcome).toMatchObject({ kind: 'returned', text: 'text of x+text of y' });
  });

  it('is deterministic, even if one branch takes long between its calls', async () => {
    const { outcome, waves } = await runToEnd(
      `const fast = async () => { for (const i of [1, 2, 3]) await tools.fast({ i }); };
       const slow = async () => { for (const i of [1, 2, 3]) { for (let n = 0; n < i * 7; n += 1) await null; await tools.slow({ i }); } };
       await Promise.all([fast(), slow()]);
       return 'done';`,
      () => 'ok',
    );
    expect(outcome).toMatchObject({ kind: 'returned', text: 'done' });
    expect(waves).toEqual([
      ['fast', 'slow'],
      ['fast', 'slow'],
      ['fast', 'slow'],
    ]);
  });

  it('can catch the error of a call, and fails with the line of an error that it does not catch', async () => {
    const fail = (): string => {
      throw new Error('no such file');
    };
    const caught = await runToEnd(`try { await tools.read({}) } catch (e) { return e.name + ': ' + e.message }`, fail);
    expect(caught.outcome).toMatchObject({ kind: 'returned', text: 'ToolError: no such file' });
    expect((await runToEnd('await tools.read({})', fail)).outcome).toMatchObject({
      kind: 'failed',
      code: 'script_failed',
      message: expect.stringContaining('ToolError: no such file'),
    });
    expect(await runOnce('const a = 1;\nconst b = 2;\nnull.x;')).toMatchObject({
      message: expect.stringMatching(/^TypeError: .*\(line 3\)$/),
    });
    expect(await runOnce('const a = ;')).toMatchObject({
      message: expect.stringMatching(/^SyntaxError: .*\(line 1\)$/),
    });
    expect(await runOnce('throw "words"')).toMatchObject({ message: 'The script threw "words"' });
  });

  it('fails when its calls differ from those of the previous run', async () => {
    const answer = { name: 'read', arguments: { path: 'a' }, isOk: true, result: 'x', isRefused: false };
    expect(await runOnce(`await tools.read({ path: 'b' })`, [answer])).toMatchObject({ code: 'script_diverged' });
    expect(await runOnce(`try { await tools.write({}) } catch {} return 1`, [answer])).toMatchObject({
      code: 'script_diverged',
    });
    expect(await runOnce(`return await tools.read({ path: 'a' })`, [answer])).toMatchObject({ text: 'x' });
  });
});

describe('the isolate of a script', () => {
  it('has no access to the host: no process, require, import, fetch, timers, dates, randomness or shared memory', async () => {
    const names =
      'process require module fetch setTimeout setInterval setImmediate queueMicrotask Date performance WebAssembly Buffer Worker WeakRef FinalizationRegistry __host crypto navigator Deno Bun';
    const { outcome } = await runToEnd(
      `return ${JSON.stringify(names.split(' '))}.filter((name) => typeof globalThis[name] !== 'undefined')`,
      () => '',
    );
    expect(outcome).toMatchObject({ kind: 'returned', text: '[]' });
    expect(await runOnce('return Math.random()')).toMatchObject({
      message: expect.stringContaining('Math.random is not available'),
    });
    expect(await runOnce(`return await import('node:fs')`)).toMatchObject({ kind: 'failed' });
    expect(await runOnce(`return await import('data:text/javascript,1')`)).toMatchObject({ kind: 'failed' });
  });

  it('cannot be escaped through constructors, prototypes, proxies or the provided functions', async () => {
    const escapes = [
      `return typeof (class {}).constructor.constructor('return this')().process`,
      `return typeof tools.x.constructor('return this')().process`,
      `return typeof console.log.constructor('return globalThis')().process`,
      `try { tools.x = 1 } catch {} return typeof (async () => {}).constructor('return this.process')()`,
      `const e = await tools.read({}).catch((e) => e); return typeof e.constructor.constructor('return this')().process`,
      `return typeof Reflect.construct(Function, ['return globalThis'])().process`,
    ];
    for (const escape of escapes) {
      const { outcome } = await runToEnd(escape, () => {
        throw new Error('no');
      });
      expect([escape, outcome.kind === 'returned' && /^(?:undefined|object)$/.test(outcome.text)]).toEqual([
        escape,
        true,
      ]);
      if (outcome.kind === 'returned' && outcome.text === 'object') expect(escape).toContain('async');
    }
    // The script can change its own globals, but none of the host's.
    const { outcome } = await runToEnd(
      `Object.prototype.polluted = 1; Array.prototype.map = () => 'x'; JSON.stringify = () => 'forged'; Promise.prototype.then = undefined;
       return { a: 1 }`,
      () => '',
    );
    expect(['returned', 'failed']).toContain(outcome.kind);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(await runOnce(`const { stringify } = JSON; JSON.stringify = () => 'forged'; return { a: 1 }`)).toMatchObject(
      {
        text: '{\n "a": 1\n}',
      },
    );
    const proto = await runOnce(`await tools.read(JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}'))`);
    expect(proto.kind).toBe('calls');
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('stops a script that never ends, regardless of what keeps it running', async () => {
    expect(await runOnce('for (;;) {}')).toMatchObject({ code: 'script_steps' });
    expect(await runOnce('try { for (;;) {} } catch { return 1 } finally { return 2 }')).toMatchObject({
      code: 'script_steps',
    });
    expect(await runOnce('for (;;) await null')).toMatchObject({ code: 'script_steps' });
    expect(await runOnce('const f = () => f(); f()')).toMatchObject({ kind: 'failed' });
    expect(await runOnce(`return /^(a+)+$/.test('a'.repeat(40) + 'b')`)).toMatchObject({ kind: 'failed' });
    expect(await runOnce('await new Promise(() => {})')).toMatchObject({ code: 'script_stuck' });
    // A single step that takes very long: only the timeout stops it.
    const limits = SCRIPT_LIMITS;
    const endless = await runInThread({ code: 'return new Array(4294967295).indexOf(1)', results: [], limits }, 1_500);
    expect(endless).toMatchObject({ code: 'script_time' });
  });

  it('limits memory, output, arguments and the number of calls', async () => {
    expect(await runOnce(`const a = []; for (;;) a.push('x'.repeat(100_000) + a.length)`)).toMatchObject({
      kind: 'failed',
    });
    expect(await runOnce(`return 'x'.repeat(2 ** 29)`)).toMatchObject({ kind: 'failed' });
    const loud = await runOnce(`for (let i = 0; i < 5_000; i += 1) console.log('line ' + i); return 1`);
    expect(loud.kind === 'returned' ? loud.printed.join('\n').length : Infinity).toBeLessThan(
      SCRIPT_LIMITS.printedCharacters + 100,
    );
    expect(await runOnce(`await tools.x('text')`)).toMatchObject({
      message: expect.stringContaining('takes one object'),
    });
    expect(await runOnce(`await tools.x({ a: 'x'.repeat(300_000) })`)).toMatchObject({
      message: expect.stringContaining('takes one object'),
    });
    const many = await runOnce(
      `await Promise.allSettled(Array.from({ length: 500 }, (_, i) => tools.x({ i }))); return 1`,
    );
    expect(many).toMatchObject({ code: 'script_calls' });
    expect(await runOnce(`for (let i = 0; i < 500; i += 1) try { tools.x({ i }) } catch {} return 1`)).toMatchObject({
      code: 'script_calls',
    });
  });
});
