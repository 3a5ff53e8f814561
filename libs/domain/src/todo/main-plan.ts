/** File with the plan of the whole job, maintained by strategic phases. */
export const MAIN_PLAN_FILE = 'main_plan.md';

/** Progress of a plan, read from its marks. */
export interface PlanProgress {
  /** Number of items with a mark and of headings that name a phase. */
  readonly marked: number;
  /** Texts of the items and phases that are not done. */
  readonly open: readonly string[];
}

const TASK = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s+(\S.*)/;
const NAMES_PHASE = /\bphase\s+\d+\b/i;
const HEADING = /^(#{1,6})\s/;
const DONE = /\b(?:complete|completed|done|finished)\b|[✓✔✅]|\[x\]/i;
const MAX_CHARACTERS = 200_000;

/**
 * Reads the marks of a plan: task items (`- [ ]`, `- [x]`) and headings of phases. A phase is done if its heading says so or
 * if task items follow it, which then count instead. Code fences are ignored. A plan without marks has `marked` 0.
 */
export function readPlanProgress(text: string): PlanProgress {
  const open: string[] = [];
  let marked = 0;
  /** Heading of a phase that is not marked as done and has no task items yet. */
  let heading: { readonly level: number; readonly text: string } | undefined;
  const closeHeading = (): void => {
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
    if (!heading || level <= heading.level) closeHeading();
    const phase = line.slice(level).trim();
    if (!NAMES_PHASE.test(phase)) continue;
    marked += 1;
    if (!DONE.test(phase)) heading = { level, text: phase };
  }
  closeHeading();
  return { marked, open };
}

/** Whether the plan is finished: it has marks, and none of them is open. */
export function isPlanFinished(text: string | undefined): boolean {
  if (text === undefined) return false;
  const { marked, open } = readPlanProgress(text);
  return marked > 0 && open.length === 0;
}
