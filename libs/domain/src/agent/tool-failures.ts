import type { CallId } from '@phaseline/contracts';
import { z } from 'zod';

/** Directory of the reports about calls whose retries are used up. The system writes there; agents only read. */
export const ERRORS_DIRECTORY = 'errors';

/** Path of the report about a call whose attempts are used up; the same on any worker and in any fork. */
export function errorReportPath(callId: CallId): string {
  return `${ERRORS_DIRECTORY}/${callId.replaceAll(/[^A-Za-z0-9_-]/g, '_')}.md`;
}

/** What happens after a remote tool failed in a way that may pass, such as a server that does not respond. */
export const toolFailuresSchema = z.strictObject({
  /** Number of further attempts; the setting of the tool-runner if absent. A tool with the effect `once` is never repeated. */
  retries: z.int().min(0).max(20).optional(),
  /** What follows when the last attempt failed: the model reads the error (the default), or the phase and its job fail. */
  onExhausted: z.enum(['return_error', 'fail']).optional(),
});
export type ToolFailures = z.infer<typeof toolFailuresSchema>;

/** The member of a phase's terms that says how its failed calls are treated; none if the agent has no setting. */
export function pickToolFailures({ tools: { retries, onExhausted } }: { readonly tools: ToolFailures }): {
  toolFailures?: ToolFailures;
} {
  if (retries === undefined && onExhausted === undefined) return {};
  return {
    toolFailures: {
      ...(retries === undefined ? {} : { retries }),
      ...(onExhausted === undefined ? {} : { onExhausted }),
    },
  };
}
