import type { JobId } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import type { Policy } from './engine.js';
import { positionOf, useForks } from './fork.fixture.js';
import { CLAIM, command, createHooks, playGuarded, rule } from './guarded.fixture.js';
import { call } from './scripts.js';
import { runLosingProcesses } from './lost-processes.fixture.js';

const { opened, replay, outcomeOf } = useForks();
/** A result of about 600 tokens, so that a few of them exceed the limit of the conversation. */
const LONG = 'word '.repeat(600);
const TURNS = 12;

/** A job that writes until its conversation is too long, under a hook that is asked whether it may be summarised. */
function play(answers: Parameters<typeof createHooks>[0], guards = [command('keep', ['PreCompact'])]) {
  const { pack, asked } = createHooks(answers);
  let turns = 0;
  const policy: Policy = (request) => {
    if (request.tools.length === 0) return { content: 'Some notes.' };
    turns += 1;
    return turns > TURNS ? CLAIM : call('write_file', { path: `work/${turns}.txt`, content: LONG });
  };
  const context = { keepResults: 5, clearTokens: 100_000, summariseTokens: 3_500, todoList: 'after-system' } as const;
  const played = playGuarded(opened.store, { packs: [pack], guards, policy, agent: { guards, context } });
  const summariesOf = async (jobId: JobId) => (await played.readEvents(jobId, 'ConversationSummarised')).length;
  return { ...played, asked, summariesOf };
}

const DENY = { decision: 'deny', reason: 'it is evidence' };

describe('a hook at PreCompact', () => {
  it('is asked before each summary, and the model is called when it has decided', async () => {
    const { engine, asked, readEvents, summariesOf } = play({});
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    const summaries = await summariesOf(jobId);
    expect(summaries).toBeGreaterThan(1);
    expect(asked).toEqual(Array.from({ length: summaries }, () => ({ point: 'PreCompact', guards: ['keep'] })));
    const types = (await readEvents(jobId)).map(({ type }) => type);
    const first = types.indexOf('GuardsAwaited');
    expect(types.slice(first, first + 6)).toEqual([
      'GuardsAwaited',
      'ToolCallRequested',
      'ToolCallCompleted',
      'GuardsSettled',
      'ModelCallStarted',
      'ConversationSummarised',
    ]);
  });

  it('may keep the conversation whole, and is asked again before the next call', async () => {
    const { engine, asked, summariesOf, readEvents } = play({ keep: [DENY, DENY] });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect((await readEvents(jobId, 'GuardDecided')).map(({ data }) => data)).toMatchObject([
      { point: 'PreCompact', decision: 'deny', reason: DENY.reason },
      { point: 'PreCompact', decision: 'deny', reason: DENY.reason },
    ]);
    expect(asked.length).toBe((await summariesOf(jobId)) + 2);
    const types = (await readEvents(jobId)).map(({ type }) => type);
    const refused = types.indexOf('GuardDecided');
    expect(types.slice(refused, refused + 4)).toEqual([
      'GuardDecided',
      'GuardsSettled',
      'ModelCallStarted',
      'ModelResponded',
    ]);
  });

  it('is not asked when a rule refuses', async () => {
    const { engine, asked, summariesOf } = play({}, [
      command('keep', ['PreCompact']),
      rule('whole', {}, { deny: 'it is evidence' }, { points: ['PreCompact'] }),
    ]);
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect([asked, await summariesOf(jobId)]).toEqual([[], 0]);
  });

  it('is asked again where a message of a person comes first', async () => {
    const { engine, asked, summariesOf } = play({}, [
      command('keep', ['PreCompact']),
      command('read', ['UserPromptSubmit']),
    ]);
    const jobId = await engine.submit();
    await engine.driver.advance(jobId);
    let isSteered = false;
    while (engine.messages.length > 0) {
      const message = engine.messages.shift()!;
      await engine.deliver(message, engine.worker('worker'), engine.toolRunner('runner'));
      if (!isSteered && asked.some(({ point }) => point === 'PreCompact')) {
        isSteered = true;
        await engine.driver.control(jobId, { action: 'steer', actor: 'ann', message: 'Be brief.' });
      }
      await engine.driver.advance(jobId);
    }
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(asked.map(({ point }) => point).slice(1, 4)).toEqual(['PreCompact', 'UserPromptSubmit', 'PreCompact']);
    expect(asked.filter(({ point }) => point === 'PreCompact').length).toBe((await summariesOf(jobId)) + 1);
  });

  it('decides once, wherever workers and tool-runners are lost, and a recorded fork repeats it without asking', async () => {
    const { engine, asked, summariesOf } = play({ keep: [DENY] });
    const jobId = await runLosingProcesses(engine);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    const before = asked.length;
    expect(before).toBe((await summariesOf(jobId)) + 1);
    const position = positionOf(await opened.store.readCorrelation(jobId), 'PhaseStarted');
    expect(await replay(engine, jobId, position)).toEqual(await outcomeOf(jobId));
    expect(asked.length).toBe(before);
  });
});
