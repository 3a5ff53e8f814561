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
import { Chance } from '../simulator/schedule/chance.js';
import { act, done, page, read, times, type Turn } from './labelled-run.js';
import { playRun } from './play-run.js';

const roll = () => new Chance(7).at('watch');
const fold = (turns: readonly Turn[], more: readonly PhaseEvent[] = []): PhaseState =>
  foldPhase([...playRun(turns), ...more])!;
const found = (state: PhaseState, settings = {}) => detectStuck(state.watch, stuckSettingsSchema.parse(settings));

const same = act('look', { at: 'x' }, 'There is a door.');
const cleared = (step: number): PhaseEvent => ({
  type: 'ToolResultsCleared',
  data: { callIds: [`call_1_${step}_1`], tokens: 10 },
});

describe('what a phase remembers of its steps', () => {
  it('is the same whether it is folded at once, in parts, or out of what was stored of it', () => {
    const dice = roll();
    const events = [...playRun(times(80, (index) => [index % 3 === 0 ? same : read(`${index}.md`, page(dice))]))];
    const whole = foldPhase(events)!;
    const stored = JSON.parse(JSON.stringify(foldPhase(events.slice(0, 100))!)) as PhaseState;
    const onwards = foldPhase(events.slice(100), stored)!;
    expect(onwards.watch).toEqual(whole.watch);
    expect(events.reduce<PhaseState | undefined>(evolvePhase, undefined)!.watch).toEqual(whole.watch);
  });

  it('stays when results are cleared, but what was cleared may be asked for again', () => {
    const dice = roll();
    const files = times(8, (index) => read(`${index}.md`, page(dice)));
    const rounds = (count: number): readonly Turn[] => times(count, () => files.map((file): Turn => [file])).flat();
    expect(found(fold(rounds(3)))).toMatchObject({ pattern: 'alternation' });
    const clearedOnce = [...playRun(rounds(3))].flatMap((event): PhaseEvent[] =>
      event.type === 'ModelResponded' && event.data.step > 6 ? [cleared(event.data.step - 6), event] : [event],
    );
    expect(found(foldPhase(clearedOnce)!)).toBeUndefined();
    // Four in a row stand there whole, however much is cleared behind them.
    const once = [...playRun(times(9, () => [same]))].flatMap((event): PhaseEvent[] =>
      event.type === 'ModelResponded' && event.data.step > 6 ? [cleared(event.data.step - 6), event] : [event],
    );
    expect(found(foldPhase(once)!)).toMatchObject({ pattern: 'same-call' });
  });

  it('begins anew with a completed todo and with the word of a person', () => {
    const three = times(3, (): Turn => [same]);
    expect(found(fold([...three, [same]]))).toBeDefined();
    expect(found(fold([...three, done, ...three]))).toBeUndefined();
    const steered: PhaseEvent = { type: 'PhaseSteered', data: { actor: 'ada', message: 'Look again.' } };
    expect(found(fold([...three, [same]], [steered]))).toBeUndefined();
  });

  it('stays small, whatever is said and answered', () => {
    const huge = act('look', { at: 'y'.repeat(50_000) }, 'z'.repeat(24_000));
    const watch = fold(times(100, () => [huge])).watch;
    expect(JSON.stringify(watch).length).toBeLessThan(400_000);
  });
});

describe('the settings', () => {
  const four = fold(times(4, (): Turn => [same]));

  it('set each threshold, and turn a pattern or all of it off', () => {
    expect(found(four)).toMatchObject({ pattern: 'same-call', from: 1, to: 4 });
    expect(found(four, { sameCall: 5 })).toBeUndefined();
    expect(found(four, { enabled: false })).toBeUndefined();
    expect(found(fold(times(50, (): Turn => [same])), { sameCall: 0, noNews: 0, noProgress: 0 })).toBeUndefined();
    expect(found(fold(['a', 'b', 'c']))).toMatchObject({ pattern: 'monologue' });
    expect(found(fold(['a', 'b', 'c']), { monologue: 0, noNews: 0 })).toBeUndefined();
  });

  it('have the defaults that the figures hold for', () => {
    expect(DEFAULT_STUCK_SETTINGS).toEqual({
      enabled: true,
      sameCall: 4,
      cycleRounds: 3,
      noNews: 6,
      errors: 6,
      monologue: 3,
      noProgress: 60,
      patience: 40,
      rungs: ['nudge', 'rewind', 'fail', 'person'],
      personWithinMs: 86_400_000,
    });
  });
});
