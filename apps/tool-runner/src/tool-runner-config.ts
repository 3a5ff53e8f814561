import { list, milliseconds, serviceConfig, urlOf, wholeNumber } from '@phaseline/service';
import { z } from 'zod';
import { packFields } from './pack-config.js';

const serverUrl = urlOf('a URL such as https://host', ['http:', 'https:']).optional();

export const toolRunnerConfig = serviceConfig(
  7403,
  {
    PHASELINE_TOOL_CALLS: wholeNumber('the number of tool calls to run at once', { min: 1, max: 1_000, default: 8 }),
    PHASELINE_TOOL_ATTEMPTS: wholeNumber('the number of attempts for a call that fails transiently', {
      min: 1,
      max: 20,
      default: 3,
    }),
    PHASELINE_TOOL_BACKOFF_MS: milliseconds('the delay before the second attempt', 500),
    /** Networks outside the public internet from which pages may be fetched and in which MCP servers may be reached. */
    PHASELINE_ALLOWED_NETWORKS: list('networks such as 10.1.0.0/16', z.string().regex(/^[0-9A-Fa-f.:]+\/\d{1,3}$/)),
    /** Search engine to use when both are configured. */
    PHASELINE_SEARCH: z.enum(['tavily', 'searxng']).optional().describe('"tavily" or "searxng"'),
    TAVILY_API_KEY: z.string().optional().describe('the key of Tavily'),
    TAVILY_URL: serverUrl,
    SEARXNG_URL: serverUrl,
    ...packFields,
  },
  { servesApi: false },
);

export type ToolRunnerConfig = z.output<typeof toolRunnerConfig>;
