import { normaliseText } from './normalise-text.js';

/** What a person wants to be different in the next draft, beside dates, rhythm and effort, which `readGoal` reads. */
export interface ChangeReading {
  /** Factor of the length of sessions. */
  readonly sessionFactor: number;
  /** Factor of the estimates of work that is done once. */
  readonly workFactor: number;
  /** Phases more or fewer than before. */
  readonly morePhases: number;
  readonly hasRestWeeks: boolean;
  /** Titles of tasks to add. */
  readonly added: readonly string[];
  /** Words of tasks to leave out. */
  readonly dropped: readonly string[];
  readonly requestedPattern?: string;
}

export const NO_CHANGES: ChangeReading = {
  ...{ sessionFactor: 1, workFactor: 1, morePhases: 0, hasRestWeeks: false, added: [], dropped: [] },
};

const SESSIONS = '(?:sessions?|workouts?|lessons?|trainings?|evenings?|units?|runs?)';
const patternsByWord: readonly (readonly [RegExp, string])[] = [
  [/\bmilestone[_ ]project\b|\bas an? project\b/i, 'milestone_project'],
  [/\brecurring[_ ]cycle\b|\bas an? (?:habit|routine|cycle)\b/i, 'recurring_cycle'],
  [/\bprogressive[_ ]accumulation(?:[_ ]arc)?\b/i, 'progressive_accumulation_arc'],
  [/\bhybrid(?:[_ ]project(?:[_ ]cycle)?)?\b/i, 'hybrid_project_cycle'],
  [/\bstrategic[_ ]transformation\b|\bas an? transformation\b/i, 'strategic_transformation'],
];
const rest = /\b(?:rest|recovery|break|free|easy|deload|lighter) weeks?\b|\bweeks? (?:off|of rest)\b/i;
const added =
  /\b(?:add|include|insert) (?:an? |the |another |one more )?(?:(?:task|step|session)s?(?: to|:| for| called| named)? )?(?:"([^"]+)"|([^.;,]+))/gi;
const dropped =
  /\b(?:drop|remove|leave out|skip|without|delete) (?:the |an? |any )?(?:(?:task|step|phase)s? )?(?:"([^"]+)"|([^.;,]+))/gi;
const noTask = /\b(?:weeks?|phases?|milestones?|time|days?|sessions?|buffers?|evenings?)$/i;
const SHORTER = 2 / 3;
const LONGER = 1.5;

/** Reads what the messages of a person ask to change, oldest first. Factors multiply. */
export function readChanges(messages: readonly string[]): ChangeReading {
  return messages.map((message) => readChange(normaliseText(message))).reduce(combine, NO_CHANGES);
}

function readChange(text: string): ChangeReading {
  const has = (source: string): boolean => new RegExp(source, 'i').test(text);
  const pattern = patternsByWord.find(([words]) => words.test(text))?.[1];
  return {
    sessionFactor: has(`\\b(?:shorter|less) ${SESSIONS}|${SESSIONS}(?: [a-z]+){0,3} (?:shorter|too long)`)
      ? SHORTER
      : has(`\\blonger ${SESSIONS}|${SESSIONS}(?: [a-z]+){0,3} (?:longer|too short)`)
        ? LONGER
        : 1,
    workFactor: has(
      '\\b(?:less work|smaller|lighter plan|reduce the (?:work|scope)|fewer hours|less effort|too much work)\\b',
    )
      ? SHORTER
      : has('\\b(?:more work|more time for|bigger|more thorough|more hours)\\b')
        ? LONGER
        : 1,
    morePhases: has('\\bfewer (?:phases|milestones|stages)\\b')
      ? -1
      : has('\\b(?:more|another|additional) (?:phases?|milestones?|stages?)\\b')
        ? 1
        : 0,
    hasRestWeeks: rest.test(text),
    added: listTasks(text, added),
    dropped: listTasks(text, dropped),
    ...(pattern !== undefined && { requestedPattern: pattern }),
  };
}

function listTasks(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)]
    .map(([, quoted, bare]) => (quoted ?? bare!).trim())
    .filter((task) => /\p{L}{2}/u.test(task) && !noTask.test(task) && !rest.test(task));
}

function combine(one: ChangeReading, other: ChangeReading): ChangeReading {
  const requestedPattern = other.requestedPattern ?? one.requestedPattern;
  return {
    sessionFactor: one.sessionFactor * other.sessionFactor,
    workFactor: one.workFactor * other.workFactor,
    morePhases: one.morePhases + other.morePhases,
    hasRestWeeks: one.hasRestWeeks || other.hasRestWeeks,
    added: [...one.added, ...other.added],
    dropped: [...one.dropped, ...other.dropped],
    ...(requestedPattern !== undefined && { requestedPattern }),
  };
}
