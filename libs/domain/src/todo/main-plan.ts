/** The plan of the whole job, as strategic phases keep it. */
export const MAIN_PLAN_FILE = 'main_plan.md';

/** What is left of a plan, as its marks say. */
export interface PlanLeft {
  /** Phases and steps that carry a mark, or are phases by their heading. */
  readonly marked: number;
  /** Those that are not done, in their own words. */
  readonly open: readonly string[];
}

const TASK = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s+(\S.*)/;
const NAMES_PHASE = /\bphase\s+\d+\b/i;
const HEADING = /^(#{1,6})\s/;
const DONE = /\b(?:complete|completed|done|finished)\b|[✓✔✅]|\[x\]/i;
const MAX_CHARACTERS = 200_000;

/**
 * Reads the marks of a plan: task items (`- [ ]`, `- [x]`), and headings of phases, which are done when they say so or when
 * the items below them are. Text in code fences is none. A plan without marks has `marked` 0 and says nothing.
 */
export function planLeft(text: string): PlanLeft {
  const open: string[] = [];
  let marked = 0;
  /** The heading of a phase that nothing has been said of yet. */
  let heading: { readonly level: number; readonly text: string } | undefined;
  const settle = (): void => {
    if (heading) open.push(heading.text);
    heading = undefined;
  };
  let fenced = false;
  for (const line of text.slice(0, MAX_CHARACTERS).split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    if (fenced) continue;
    const [, mark, task] = TASK.exec(line) ?? [];
    if (task !== undefined) {
      marked += 1;
      heading = undefined;
      if (mark === ' ') open.push(task.trim());
      continue;
    }
    const level = HEADING.exec(line)?.[1]?.length;
    if (level === undefined) continue;
    if (!heading || level <= heading.level) settle();
    const phase = line.slice(level).trim();
    if (!NAMES_PHASE.test(phase)) continue;
    marked += 1;
    if (!DONE.test(phase)) heading = { level, text: phase };
  }
  settle();
  return { marked, open };
}

/** Whether the plan says that nothing is left of it: it has marks, and none of them is open. */
export function nothingLeft(text: string | undefined): boolean {
  if (text === undefined) return false;
  const { marked, open } = planLeft(text);
  return marked > 0 && open.length === 0;
}
