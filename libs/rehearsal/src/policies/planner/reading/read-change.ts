/** Words that name the change of a state, and how certain that is. The first match counts. */
const changes: readonly (readonly [RegExp, number])[] = [
  [/\b(?:transform|transformation|reinvent|overhaul|turn (?:.{1,60} )?into|convert (?:.{1,60} )?(?:in)?to)/i, 1],
  // A change between quantities is a measure.
  [
    /\b(?:move|go|switch|change|shift|migrate|transition|convert|get|evolve|pass)\b.{0,60}? from (?!\d).{1,60}? to (?!\d)/i,
    1,
  ],
  [/\bfrom (?:an? |the )?(?!\d)[a-z-]+(?: [a-z-]+){0,3} to (?:an? |the )?(?!\d)[a-z]/i, 1],
  // A skill that grows is no other state.
  [/\b(?:become|becoming)\b(?! (?:more |really )?(?:fluent|fit|fitter|stronger|better|faster|good)\b)/i, 1],
  [/\b(?:switch|transition|migrate|move over|change over|convert)(?: [a-z' -]{1,40})? to\b/i, 1],
  [
    /\b(?:switching|transitioning|migration|transition|career change|change (?:my |our )?(?:career|job|life|lifestyle|habits|culture))\b/i,
    1,
  ],
  [
    /\b(?:quit|give up) (?!on\b)[a-z]+|\bstop [a-z]+ing\b|\b(?:get out of debt|go (?:vegan|vegetarian|paperless|digital|remote|freelance|solar))\b/i,
    1,
  ],
  [/\b(?:moderni[sz]e|digitali[sz]e|reorgani[sz]e|restructure|rebrand|automate|retire from|retrain as)\b/i, 0.8],
];

/** Returns how certain it is that a goal changes a state, 0 to 1. */
export function readChangeOfState(text: string): number {
  return changes.find(([pattern]) => pattern.test(text))?.[1] ?? 0;
}

/** The states before and after, if both are named. */
export interface StateChange {
  readonly before: string;
  readonly after: string;
}

/** Reads "from X to Y". `undefined` if both states are not named, or are quantities. */
export function readStates(text: string): StateChange | undefined {
  const [, matter, result] =
    /\b(?:turn|transform|convert) (?:my |our |the )?([a-z][a-z' -]{0,60}?) (?:in)?to (?:an? |the )?([a-z][a-z' -]{0,60}?)(?= (?:in|by|within|for|before|with|and)\b|\s*(?:$|[.,;!?]))/i.exec(
      text,
    ) ?? [];
  if (matter !== undefined && result !== undefined && !/\bfrom\b/i.test(matter))
    return { before: `the ${matter.trim()} of today`, after: result.trim() };
  const [, before, after] =
    /\bfrom (?:an? |the )?(?!\d)([a-z][a-z' -]{0,60}?) to (?:an? |the )?(?!\d)([a-z][a-z' -]{0,60}?)(?= (?:in|by|within|for|before|with|and)\b|$|[.,;!?])/i.exec(
      text,
    ) ?? [];
  return before === undefined || after === undefined ? undefined : { before: before.trim(), after: after.trim() };
}
