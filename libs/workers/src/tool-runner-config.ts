import { milliseconds, serviceConfig, wholeNumber } from '@phaseline/service';
import type { z } from 'zod';

/** Settings of a tool-runner, in addition to those of every service. `packFields` are the settings of its packs. */
export function createToolRunnerConfig<Fields extends z.core.$ZodLooseShape>(packFields: Fields) {
  return serviceConfig(
    7403,
    {
      PHASELINE_CONCURRENT_TOOL_CALLS: wholeNumber('the number of tool calls to run concurrently', {
        min: 1,
        max: 1_000,
        default: 8,
      }),
      PHASELINE_MAX_TOOL_ATTEMPTS: wholeNumber('the number of attempts for a call with a transient failure', {
        min: 1,
        max: 20,
        default: 3,
      }),
      PHASELINE_TOOL_BACKOFF_MS: milliseconds('the delay before the second attempt', 500),
      ...packFields,
    },
    { servesApi: false },
  );
}

/** The parsed settings that every tool-runner has, regardless of its packs. */
export type BaseToolRunnerConfig = z.output<ReturnType<typeof createToolRunnerConfig<Record<never, never>>>>;
