import { describe, expect, it } from 'vitest';
import { runInThread } from './run-in-thread.js';
import { SCRIPT_LIMITS } from './run-script.js';
import type { ScriptAnswer, ScriptAsk, ScriptLimits, ScriptOutcome } from './script-run.js';

const once = (code: string, answers: ScriptAnswer[] = [], limits: Partial<ScriptLimits> = {}): Promise<ScriptOutcome> =>
  runInThread({ code, answers, limits: { ...SCRIPT_LIMITS, ...limits } });

/** Runs a script until it ends; `tool` answers its calls, or throws. `waves` are the calls that it made at a time. */
async function whole(
  code: string,
  tool: (ask: ScriptAsk) => string,
): Promise<{ outcome: ScriptOutcome; waves: string[][] }> {
  const answers: ScriptAnswer[] = [];
  const waves: string[][] = [];
  for (;;) {
    const outcome = await once(code, answers);
    if (outcome.kind !== 'asks') return { outcome, waves };
    waves.push(outcome.asks.map(({ name }) => name));
    for (const ask of outcome.asks) {
      try {
        answers.push({ ...ask, ok: true, result: tool(ask), refused: false });
      } catch (error) {
        answers.push({ ...ask, ok: false, result: (error as Error).message, refused: false });
      }
    }
  }
}

describe('a script', () => {
  it('gives what it returns and prints, and calls nothing', async () => {
    expect(await once('console.log("a", [1], {b: 2}); return {sum: 1 + 2}')).toEqual({
      kind: 'returned',
      text: '{\n "sum": 3\n}',
      printed: ['a [1] {"b":2}'],
    });
    expect(await once('return "plain"')).toMatchObject({ text: 'plain' });
    expect(await once('')).toMatchObject({ text: 'nothing' });
  });

  it('goes on with the results of its calls, side by side where it asks for them so', async () => {
    const { outcome, waves } = await whole(
      `const names = JSON.parse(await tools.list({}));
       const texts = await Promise.all(names.map((name) => tools.read({ name })));
       return texts.join('+');`,
      ({ name, arguments: args }) => (name === 'list' ? '["x","y"]' : `text of ${String(args['name'])}`),
    );
    expect(waves).toEqual([['list'], ['read', 'read']]);
    expect(outcome).toMatchObject({ kind: 'returned', text: 'text of x+text of y' });
  });

  it('takes the same way each time, however long one branch takes between its calls', async () => {
    const { outcome, waves } = await whole(
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

  it('catches the failure of a call, and fails by one that it does not catch, with its line', async () => {
    const fail = (): string => {
      throw new Error('no such file');
    };
    const caught = await whole(`try { await tools.read({}) } catch (e) { return e.name + ': ' + e.message }`, fail);
    expect(caught.outcome).toMatchObject({ kind: 'returned', text: 'ToolError: no such file' });
    expect((await whole('await tools.read({})', fail)).outcome).toMatchObject({
      kind: 'failed',
      code: 'script_failed',
      message: expect.stringContaining('ToolError: no such file'),
    });
    expect(await once('const a = 1;\nconst b = 2;\nnull.x;')).toMatchObject({
      message: expect.stringMatching(/^TypeError: .*\(line 3\)$/),
    });
    expect(await once('const a = ;')).toMatchObject({ message: expect.stringMatching(/^SyntaxError: .*\(line 1\)$/) });
    expect(await once('throw "words"')).toMatchObject({ message: 'The script threw "words"' });
  });

  it('fails when it goes another way than before', async () => {
    const answer = { name: 'read', arguments: { path: 'a' }, ok: true, result: 'x', refused: false };
    expect(await once(`await tools.read({ path: 'b' })`, [answer])).toMatchObject({ code: 'script_diverged' });
    expect(await once(`try { await tools.write({}) } catch {} return 1`, [answer])).toMatchObject({
      code: 'script_diverged',
    });
    expect(await once(`return await tools.read({ path: 'a' })`, [answer])).toMatchObject({ text: 'x' });
  });
});

describe('the isolate of a script', () => {
  it('has nothing of the host: no process, require, import, fetch, timers, dates, randomness or shared memory', async () => {
    const names =
      'process require module fetch setTimeout setInterval setImmediate queueMicrotask Date performance WebAssembly Buffer Worker WeakRef FinalizationRegistry __host crypto navigator Deno Bun';
    const { outcome } = await whole(
      `return ${JSON.stringify(names.split(' '))}.filter((name) => typeof globalThis[name] !== 'undefined')`,
      () => '',
    );
    expect(outcome).toMatchObject({ kind: 'returned', text: '[]' });
    expect(await once('return Math.random()')).toMatchObject({ message: expect.stringContaining('no randomness') });
    expect(await once(`return await import('node:fs')`)).toMatchObject({ kind: 'failed' });
    expect(await once(`return await import('data:text/javascript,1')`)).toMatchObject({ kind: 'failed' });
  });

  it('is not left by constructors, prototypes, proxies or the functions that it was given', async () => {
    const ways = [
      `return typeof (class {}).constructor.constructor('return this')().process`,
      `return typeof tools.x.constructor('return this')().process`,
      `return typeof console.log.constructor('return globalThis')().process`,
      `try { tools.x = 1 } catch {} return typeof (async () => {}).constructor('return this.process')()`,
      `const e = await tools.read({}).catch((e) => e); return typeof e.constructor.constructor('return this')().process`,
      `return typeof Reflect.construct(Function, ['return globalThis'])().process`,
    ];
    for (const way of ways) {
      const { outcome } = await whole(way, () => {
        throw new Error('no');
      });
      expect([way, outcome.kind === 'returned' && /^(?:undefined|object)$/.test(outcome.text)]).toEqual([way, true]);
      if (outcome.kind === 'returned' && outcome.text === 'object') expect(way).toContain('async');
    }
    // Something of its own, but nothing of ours, can be changed by it.
    const { outcome } = await whole(
      `Object.prototype.polluted = 1; Array.prototype.map = () => 'x'; JSON.stringify = () => 'forged'; Promise.prototype.then = undefined;
       return { a: 1 }`,
      () => '',
    );
    expect(['returned', 'failed']).toContain(outcome.kind);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(await once(`const { stringify } = JSON; JSON.stringify = () => 'forged'; return { a: 1 }`)).toMatchObject({
      text: '{\n "a": 1\n}',
    });
    const proto = await once(`await tools.read(JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}'))`);
    expect(proto.kind).toBe('asks');
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('ends a script that goes on without end, however it does', async () => {
    expect(await once('for (;;) {}')).toMatchObject({ code: 'script_steps' });
    expect(await once('try { for (;;) {} } catch { return 1 } finally { return 2 }')).toMatchObject({
      code: 'script_steps',
    });
    expect(await once('for (;;) await null')).toMatchObject({ code: 'script_steps' });
    expect(await once('const f = () => f(); f()')).toMatchObject({ kind: 'failed' });
    expect(await once(`return /^(a+)+$/.test('a'.repeat(40) + 'b')`)).toMatchObject({ kind: 'failed' });
    expect(await once('await new Promise(() => {})')).toMatchObject({ code: 'script_stuck' });
    // One step that takes very long: only the clock of the host ends it.
    const limits = SCRIPT_LIMITS;
    const endless = await runInThread({ code: 'return new Array(4294967295).indexOf(1)', answers: [], limits }, 1_500);
    expect(endless).toMatchObject({ code: 'script_time' });
  });

  it('bounds memory, output, arguments and the number of calls', async () => {
    expect(await once(`const a = []; for (;;) a.push('x'.repeat(100_000) + a.length)`)).toMatchObject({
      kind: 'failed',
    });
    expect(await once(`return 'x'.repeat(2 ** 29)`)).toMatchObject({ kind: 'failed' });
    const loud = await once(`for (let i = 0; i < 5_000; i += 1) console.log('line ' + i); return 1`);
    expect(loud.kind === 'returned' ? loud.printed.join('\n').length : Infinity).toBeLessThan(
      SCRIPT_LIMITS.printedCharacters + 100,
    );
    expect(await once(`await tools.x('text')`)).toMatchObject({ message: expect.stringContaining('takes one object') });
    expect(await once(`await tools.x({ a: 'x'.repeat(300_000) })`)).toMatchObject({
      message: expect.stringContaining('takes one object'),
    });
    const many = await once(
      `await Promise.allSettled(Array.from({ length: 500 }, (_, i) => tools.x({ i }))); return 1`,
    );
    expect(many).toMatchObject({ code: 'script_calls' });
    expect(await once(`for (let i = 0; i < 500; i += 1) try { tools.x({ i }) } catch {} return 1`)).toMatchObject({
      code: 'script_calls',
    });
  });
});
