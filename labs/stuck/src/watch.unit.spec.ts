import {
  detectStuck,
  DEFAULT_STUCK_SETTINGS,
  evolvePhase,
  foldPhase,
  stuckSettingsSchema,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { Chance } from '@phaseline/harness';
import { act, COMPLETE_TODO, drawPage, read, createTimes, type Turn } from './labelled-run.js';
import { playRun } from './play-run.js';

const createRoll = () => new Chance(7).rollFor('watch');
const fold = (turns: readonly Turn[], more: readonly PhaseEvent[] = []): PhaseState =>
  foldPhase([...playRun(turns), ...more])!;
const detect = (state: PhaseState, settings = {}) =>
  detectStuck(state.guards.watch, stuckSettingsSchema.parse(settings));

const sameCall = act('look', { at: 'x' }, 'There is a door.');
const cleared = (step: number): PhaseEvent => ({
  type: 'ToolResultsCleared',
  data: { callIds: [`call_1_${step}_1`], tokens: 10 },
});

describe('the memory of a phase about its steps', () => {
  it('is the same whether folded in one pass, in parts, or from a stored state', () => {
    const dice = createRoll();
    const events = [
      ...playRun(createTimes(80, (index) => [index % 3 === 0 ? sameCall : read(`${index}.md`, drawPage(dice))])),
    ];
    const whole = foldPhase(events)!;
    const stored = JSON.parse(JSON.stringify(foldPhase(events.slice(0, 100))!)) as PhaseState;
    const onwards = foldPhase(events.slice(100), stored)!;
    expect(onwards.guards.watch).toEqual(whole.guards.watch);
    expect(events.reduce<PhaseState | undefined>(evolvePhase, undefined)!.guards.watch).toEqual(whole.guards.watch);
  });

  it('survives the clearing of results, but cleared results may be requested again', () => {
    const dice = createRoll();
    const files = createTimes(8, (index) => read(`${index}.md`, drawPage(dice)));
    const rounds = (count: number): readonly Turn[] =>
      createTimes(count, () => files.map((file): Turn => [file])).flat();
    expect(detect(fold(rounds(3)))).toMatchObject({ pattern: 'alternation' });
    const clearedOnce = [...playRun(rounds(3))].flatMap((event): PhaseEvent[] =>
      event.type === 'ModelResponded' && event.data.step > 6 ? [cleared(event.data.step - 6), event] : [event],
    );
    expect(detect(foldPhase(clearedOnce)!)).toBeUndefined();
    // Four identical calls in a row are still complete, however many earlier results are cleared.
    const once = [...playRun(createTimes(9, () => [sameCall]))].flatMap((event): PhaseEvent[] =>
      event.type === 'ModelResponded' && event.data.step > 6 ? [cleared(event.data.step - 6), event] : [event],
    );
    expect(detect(foldPhase(once)!)).toMatchObject({ pattern: 'same-call' });
  });

  it('is reset by a completed todo and by a message of a person', () => {
    const three = createTimes(3, (): Turn => [sameCall]);
    expect(detect(fold([...three, [sameCall]]))).toBeDefined();
    expect(detect(fold([...three, COMPLETE_TODO, ...three]))).toBeUndefined();
    const steered: PhaseEvent = { type: 'PhaseSteered', data: { actor: 'ada', message: 'Look again.' } };
    expect(detect(fold([...three, [sameCall]], [steered]))).toBeUndefined();
  });

  it('stays small, regardless of the size of arguments and results', () => {
    const huge = act('look', { at: 'y'.repeat(50_000) }, 'z'.repeat(24_000));
    const watch = fold(createTimes(100, () => [huge])).guards.watch;
    expect(JSON.stringify(watch).length).toBeLessThan(400_000);
  });
});

describe('the settings', () => {
  const four = fold(createTimes(4, (): Turn => [sameCall]));

  it('set each threshold, and disable single patterns or everything', () => {
    expect(detect(four)).toMatchObject({ pattern: 'same-call', from: 1, to: 4 });
    expect(detect(four, { sameCall: 5 })).toBeUndefined();
    expect(detect(four, { enabled: false })).toBeUndefined();
    expect(
      detect(fold(createTimes(50, (): Turn => [sameCall])), { sameCall: 0, noNews: 0, noProgress: 0 }),
    ).toBeUndefined();
    expect(detect(fold(['a', 'b', 'c']))).toMatchObject({ pattern: 'monologue' });
    expect(detect(fold(['a', 'b', 'c']), { monologue: 0, noNews: 0 })).toBeUndefined();
  });

  it('have the defaults for which the figures were measured', () => {
    expect(DEFAULT_STUCK_SETTINGS).toEqual({
      enabled: true,
      sameCall: 4,
      cycleRounds: 3,
      noNews: 6,
      errors: 6,
      monologue: 3,
      noProgress: 60,
      waitingSteps: 40,
      rungs: ['nudge', 'rewind', 'fail', 'person'],
      personTimeoutMs: 86_400_000,
    });
  });
});
