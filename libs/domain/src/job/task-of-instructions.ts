/** Heading under which a submission puts its task into instructions. */
const HEADING = '\n## This job\n\n';

/** Adds the task of a submission to the instructions of an agent. */
export function addTask(instructions: string, task: string): string {
  return task === '' ? instructions : `${instructions.trimEnd()}\n${HEADING}${task}\n`;
}

/** Returns the task in instructions; undefined if they have none. */
export function readTask(instructions: string): string | undefined {
  const at = instructions.lastIndexOf(HEADING);
  return at < 0 ? undefined : instructions.slice(at + HEADING.length).trimEnd();
}

/** Returns the instructions of the agent alone, without the task of a submission. */
export function removeTask(instructions: string): string {
  const at = instructions.lastIndexOf(HEADING);
  return at < 0 ? instructions : instructions.slice(0, at);
}
