import type { GoalReading } from './read-goal.js';

/** Features of a goal by which the pattern is selected, 0 (absent) to 1 (certain). */
export interface GoalFeatures {
  readonly endDate: number;
  readonly recurrence: number;
  readonly cumulativeMeasure: number;
  readonly changeOfState: number;
}

const routineWords = /\b(?:routine|habit|ritual|protocol|regimen|check-?list|chores?|streak|rhythm)s?\b/i;
const steps = /\b(?:routine|ritual|protocol|regimen|check-?list)s?\b/i;
/** Verbs of work that is done once: a rhythm says when it is done. */
const making =
  /\b(?:build|write|renovate|(?:clean|clear|sort) out|paint|organi[sz]e|launch|design|develop|create|produce|move|install|repair|restore|refurbish|compile|code|implement|ship|deliver|sew|knit|construct|assemble|decorate|landscape|draft|edit|record|set up|convert|host|plan(?= (?:an?|the|my|our|your|for|out)\b)|research|prototype|release)\b/i;
/** Small works that are made one after another: "a blog post every second Thursday". */
const smallWorks =
  /\b(?:an?|one|another|\d+)(?: [a-z-]+)? (?:posts?|articles?|letters?|newsletters?|e-?mails?|pages?|entry|entries|poems?|songs?|episodes?|videos?|reports?|reviews?|stories|story|sketch(?:es)?|drawings?)\b|\b(?:in|my) (?:journal|diary)\b/i;
/** "Exercise more": something that is to be done more, without an end. */
const moreOften =
  /\b(?:exercise|walk|run|read|sleep|move|cook|drink|eat|practi[sc]e|swim|cycle|meditate|stretch|write|study|train|rest)\b.{0,30}\b(?:more|less|regularly|often|better|healthier|healthily|earlier)\b|\bget (?:fit|fitter|in shape|healthier|stronger)\b/i;
/** "Weekly team meetings" are held, whatever the verb. */
const regularMeeting =
  /\b(?:daily|weekly|monthly|quarterly|fortnightly|regular) (?:[a-z]+ )?(?:meetings?|reviews?|calls?|check-?ins?|stand-?ups?|retrospectives?|lunch(?:es)?)\b/i;
/** What practice leads to, so that a date matters beside the rhythm. */
const outcomes =
  /\b(?:prepare|learn|pass|train for|master|finish|complete|qualify|compete|get (?:fit|ready|in shape|certified)|marathon|triathlon|race|exam|test|competition|tournament|concert|recital|certificate|certification|licen[cs]e|debut|expedition)\b/i;
const practice =
  /\b(?:learn|practi[sc]e|study|train|training|prepare|master|exercise|rehearse|improve|marathon|triathlon|race|fitness|fit|fluent|instrument|language)\b/i;

/** Whether the goal is a sequence of steps that is repeated: the subtype protocol_routine. */
export function isStepRoutine({ text, measure }: Pick<GoalReading, 'text' | 'measure'>): boolean {
  return steps.test(text) && measure?.isCumulative !== true;
}

/** Reads the features of a goal from its words. */
export function readFeatures(reading: GoalReading): GoalFeatures {
  const { measure, changeOfState, aim } = reading;
  const counts = measure === undefined ? 0 : measure.isCumulative ? 1 : 0.2;
  // Nothing is known, so that no pattern is near.
  if (aim.isVague && counts === 0 && changeOfState === 0 && reading.rhythm === undefined)
    return {
      endDate: reading.dates.end === undefined ? 0.5 : 0.8,
      recurrence: 0.5,
      cumulativeMeasure: 0.25,
      changeOfState: 0.25,
    };
  return {
    endDate: readEndDate(reading),
    recurrence: readRecurrence(reading),
    cumulativeMeasure: isKeptUp(reading) ? 0.2 : counts === 1 && measure?.per !== undefined ? 0.9 : counts,
    // A measured change, such as a weight, is an accumulation.
    changeOfState: counts === 1 && changeOfState < 1 ? changeOfState / 2 : changeOfState,
  };
}

/** "10000 steps every day" is kept up; it does not lead to a sum. So is "5 km 3 times a week". */
function isKeptUp({ measure }: Pick<GoalReading, 'measure'>): boolean {
  return measure?.per === 'session' || (measure?.per === 'day' && measure.pace === undefined);
}

/** Minutes per day below which a practice has no room for a project beside it. */
const SHORT_PRACTICE_MINUTES = 30;

function isShortPractice({ effort }: GoalReading): boolean {
  return effort.perDay !== undefined && effort.perDay < SHORT_PRACTICE_MINUTES;
}

/** A little work per day without a result that is named: a habit, whatever it consists of. */
function isDailyHabit({ effort, text }: GoalReading): boolean {
  const { perDay } = effort;
  return perDay !== undefined && perDay <= SHORT_PRACTICE_MINUTES && !making.test(text) && !outcomes.test(text);
}

function isHabit({ text, dates }: GoalReading): boolean {
  return routineWords.test(text) || regularMeeting.test(text) || (moreOften.test(text) && dates.end === undefined);
}

function readEndDate(reading: GoalReading): number {
  const { text, dates, rhythm, measure } = reading;
  const isRoutine =
    isHabit(reading) || isKeptUp(reading) || isDailyHabit(reading) || (isShortPractice(reading) && practice.test(text));
  if (dates.end === undefined)
    return rhythm !== undefined || isRoutine ? 0 : measure?.isCumulative === true ? 0.4 : 0.6;
  if (outcomes.test(text) && !isRoutine) return 1;
  if (rhythm === undefined && !isRoutine) return 1;
  // A habit that is kept until a day does not lead to that day.
  return making.test(text) && !isRoutine ? 1 : 0.3;
}

function readRecurrence(reading: GoalReading): number {
  const { text, rhythm, effort, measure } = reading;
  if (isHabit(reading) || isKeptUp(reading)) return 1;
  if (measure?.per !== undefined) return measure.isCumulative ? 0.7 : 1;
  if (rhythm !== undefined) return making.test(text) && !outcomes.test(text) && !smallWorks.test(text) ? 0.2 : 1;
  const isPractice = practice.test(text);
  if (isDailyHabit(reading) || (isPractice && isShortPractice(reading))) return 1;
  if (effort.perDay !== undefined || effort.perWeek !== undefined) return isPractice ? 0.6 : 0.2;
  return isPractice ? 0.3 : 0;
}
