import { clip } from '@phaseline/basics';

/** Maximum length of one message in characters. */
const MAX_MESSAGE = 300;
const MAX_CAUSES = 5;

/** Returns the messages of an error and of what caused it, without any of their other properties. */
export function describeCauses(error: unknown): readonly string[] {
  const messages: string[] = [];
  for (let cause = error; cause instanceof Error && messages.length < MAX_CAUSES; cause = cause.cause) {
    const { code, error: problem } = cause as { code?: unknown; error?: unknown };
    const details = [code, problem].filter((detail) => typeof detail === 'string');
    messages.push(clip([cause.message, ...details].join(' · '), MAX_MESSAGE));
  }
  return messages;
}
