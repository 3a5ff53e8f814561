import type { Plan } from '@phaseline/client';
import { listStages, type PlanStage } from './list-stages.js';

const looks: Readonly<Record<PlanStage['state'], readonly [glyph: string, word: string]>> = {
  done: ['✓', 'done'],
  current: ['●', 'in progress'],
  waiting: ['?', 'waits'],
  stopped: ['✕', 'stopped'],
  open: ['○', 'not yet'],
};

/** The stages of a plan in a row, with where it is. */
export function StageRow({ plan }: { readonly plan: Plan }) {
  return (
    <ol className="plan-stages" aria-label="Stages of the plan">
      {listStages(plan).map(({ title, state }) => {
        const [glyph, word] = looks[state];
        const isCurrent = state !== 'done' && state !== 'open';
        return (
          <li key={title} className={`plan-stage plan-stage-${state}`} aria-current={isCurrent ? 'step' : undefined}>
            <span aria-hidden="true" className="plan-stage-glyph">
              {glyph}
            </span>
            <span>
              <strong>{title}</strong>
              <span className="plan-stage-state">{word}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}
