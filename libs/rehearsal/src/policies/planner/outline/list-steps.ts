import { clip } from '@phaseline/basics';
import type { GoalReading } from '../reading/read-goal.js';

const MAX_STEPS = 8;
const MAX_STEP_CHARACTERS = 80;

/** Lists the steps of a routine that a goal names, as in "with stretching, reading and tea"; otherwise three general ones. */
export function listSteps({ aim }: Pick<GoalReading, 'aim'>): readonly string[] {
  const [, list] = /(?:\b(?:with|of|including|consisting of|that includes)\b|:)\s+(.+)$/i.exec(aim.title) ?? [];
  const steps = splitList(list ?? aim.title);
  if (steps.length > 1) return steps;
  return [`Get ready for ${aim.object}`, aim.title, `Note how ${aim.object} went`];
}

function splitList(text: string): readonly string[] {
  const items = text
    .split(/\s*,\s*(?:and\s+)?|\s+and\s+|\s*;\s*/i)
    .map((item) => clip(item.replace(/^(?:an?|the|some|my) /i, '').trim(), MAX_STEP_CHARACTERS))
    .filter((item) => /\p{L}{2}/u.test(item));
  return [...new Set(items)].slice(0, MAX_STEPS);
}
