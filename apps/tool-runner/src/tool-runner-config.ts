import { milliseconds, serviceConfig, wholeNumber } from '@phaseline/service';
import type { z } from 'zod';

export const toolRunnerConfig = serviceConfig(7403, {
  PHASELINE_TOOL_CALLS: wholeNumber('the number of tool calls to run at once', { min: 1, max: 1_000, default: 8 }),
  PHASELINE_TOOL_ATTEMPTS: wholeNumber('how often a call is tried whose failure may pass', {
    min: 1,
    max: 20,
    default: 3,
  }),
  PHASELINE_TOOL_BACKOFF_MS: milliseconds('the wait before the second try', 500),
});

export type ToolRunnerConfig = z.output<typeof toolRunnerConfig>;
