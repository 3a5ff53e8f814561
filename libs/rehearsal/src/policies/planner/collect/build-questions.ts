import { chooseWeekdays } from '../outline/plan-sessions.js';
import type { PlanScene } from '../plan-scene.js';

/** A question to the person, as the tool takes it. */
export interface PlanQuestion {
  readonly text: string;
  readonly purpose: 'fact';
  readonly assumption: string;
  readonly is_blocking: boolean;
}

/** Time that is stated in another language is not read, and never guessed. */
const foreignTimes =
  /(?:^|[^\p{L}])(?:tage?n?|tag|wochen?|monate?n?|jahre?n?|stunden?|minuten|täglich|wöchentlich|jeden|jours?|semaines?|mois|heures?|années?|chaque|días?|semanas?|meses|años?|horas?|cada|giorn[io]|settiman[ae]|mes[ei]|ann[io]|ogni|weken|maanden|uur|elke)(?![\p{L}])|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}]/iu;

/** Builds the questions about what the words leave open, the most important one first. */
export function buildQuestions({
  conversation: { goal },
  draft: { frame },
}: Pick<PlanScene, 'conversation' | 'draft'>): readonly PlanQuestion[] {
  const { aim, rhythm, effort, hours, dates } = goal;
  const open = [...frame.openMinutes.keys()];
  const build = (text: string, assumption: string, isBlocking = false): PlanQuestion => {
    return { text, assumption, purpose: 'fact', is_blocking: isBlocking };
  };
  const isEffortKnown = Object.keys(effort).length > 0 || rhythm !== undefined || hours !== undefined;
  const { closedWeekdays = [] } = goal.circumstances;
  // Days on which there is no time contradict those that were stated.
  const isClosed = rhythm?.weekdays?.every((day) => closedWeekdays.includes(day)) === true;
  const isTimeOpen = !isEffortKnown && dates.end === undefined;
  const needsWeekdays = rhythm?.unit === 'week' && (rhythm.weekdays === undefined || isClosed);
  return [
    ...(aim.isVague
      ? [
          build(
            `What exactly do you want to be able to do, or to have, at the end of "${aim.title}"?`,
            `The goal is as it was stated: ${aim.title}.`,
            true,
          ),
        ]
      : []),
    ...(foreignTimes.test(aim.title) && isTimeOpen
      ? [
          build(
            'Dates and times are read in English only: by when, how often and how long do you want to work on it?',
            'Nothing is known about the time that it may take.',
            true,
          ),
        ]
      : []),
    ...(dates.end === undefined && rhythm === undefined
      ? [build('By when is it to be finished?', `The plan is laid out until ${frame.end}.`)]
      : []),
    ...(isEffortKnown
      ? []
      : [build('How many hours per week do you have for it?', `Up to ${formatHours(frame.minutesPerWeek)} per week.`)]),
    ...(needsWeekdays
      ? [
          build(
            'On which weekdays?',
            `On ${chooseWeekdays(rhythm.times ?? 1, open)
              .map(capitaliseDay)
              .join(', ')}.`,
          ),
        ]
      : []),
  ];
}

function formatHours(minutes: number): string {
  return minutes === 60 ? 'one hour' : `${Number((minutes / 60).toFixed(1))} hours`;
}

function capitaliseDay(day: string): string {
  return `${day[0]!.toUpperCase()}${day.slice(1)}`;
}
