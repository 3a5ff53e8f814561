import { toSingleLine } from '@phaseline/basics';

/** Place of a phase in the plan of the job: "2 of 4". */
export interface PlanPlace {
  /** Counted from 1. */
  readonly number: number;
  readonly total: number;
}

/** The part of the start of a phase that names its place, if it is known. */
interface PartOfPlan {
  readonly number?: number | undefined;
  readonly total?: number | undefined;
}

const MAX_CHARACTERS = 200_000;
const HEADING = /^(#{1,6})\s+(\S.*)/;
/** An item of a list that is not indented, with or without a mark. */
const ITEM = /^(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(\S.*)/;
const MARKED_ITEM = /^(?:[-*+]|\d+[.)])\s+\[[ xX]\]\s+(\S.*)/;
const NUMBERED_PHASE = /^phase\s+\d+\b[\s:.)–—-]*/i;
const TITLE_END = /^(?:$|[:.(,;]|\s+[-–—(✓✔✅[])/;

/**
 * Finds a phase in the plan by its name. The phases of a plan are the list below a heading "Phases", or the headings that begin with
 * "Phase 1", or its marked items. Returns `undefined` unless exactly one of them has the name: the place is counted, never guessed.
 */
export function findPlanPlace(plan: string, name: string): PlanPlace | undefined {
  const wanted = toTitle(name);
  if (wanted === '') return undefined;
  for (const phases of listPhases(plan)) {
    const found = phases.flatMap((phase, index) => (hasTitle(phase, wanted) ? [index + 1] : []));
    if (found.length === 1) return { number: found[0]!, total: phases.length };
  }
  return undefined;
}

/** Returns the phases of a plan, read in each of the three ways. */
function listPhases(plan: string): readonly (readonly string[])[] {
  const [listed, headings, marked]: string[][] = [[], [], []];
  let isBelowPhases = false;
  let fenced = false;
  for (const line of plan.slice(0, MAX_CHARACTERS).split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    if (fenced) continue;
    const heading = HEADING.exec(line)?.[2];
    if (heading !== undefined) {
      isBelowPhases = toTitle(heading).replace(/[:.]$/, '') === 'phases';
      if (NUMBERED_PHASE.test(heading)) headings!.push(heading);
      continue;
    }
    const item = ITEM.exec(line)?.[1];
    if (item !== undefined && isBelowPhases) listed!.push(item);
    const task = MARKED_ITEM.exec(line)?.[1];
    if (task !== undefined) marked!.push(task);
  }
  return [listed!, headings!, marked!];
}

/** Whether the text is the title, or begins with it and continues with a description. */
function hasTitle(text: string, title: string): boolean {
  const given = toTitle(text);
  return given.startsWith(title) && TITLE_END.test(given.slice(title.length));
}

/** Converts a name or a line of a plan to a form in which equal titles are equal. */
function toTitle(text: string): string {
  const plain = toSingleLine(text).replaceAll(/[*_`]/g, '').trim().toLowerCase();
  return plain.replace(NUMBERED_PHASE, '').trim() || plain;
}

/** Renders the place of a phase behind its name, if it is known: " (2 of 4)". */
export function renderPlanPlace({ number, total }: PartOfPlan): string {
  return number === undefined || total === undefined ? '' : ` (${number} of ${total})`;
}

/** Returns the place that the start of a phase names, for another attempt at it. */
export function getPlanPlace({ number, total }: PartOfPlan): PlanPlace | undefined {
  return number === undefined || total === undefined ? undefined : { number, total };
}
