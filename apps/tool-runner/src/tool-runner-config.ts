import { list, milliseconds, serviceConfig, urlOf, wholeNumber } from '@phaseline/service';
import { z } from 'zod';
import { packFields } from './pack-config.js';

const serverUrl = urlOf('a URL such as https://host', ['http:', 'https:']).optional();

export const toolRunnerConfig = serviceConfig(
  7403,
  {
    PHASELINE_TOOL_CALLS: wholeNumber('the number of tool calls to run at once', { min: 1, max: 1_000, default: 8 }),
    PHASELINE_TOOL_ATTEMPTS: wholeNumber('how often a call is tried whose failure may pass', {
      min: 1,
      max: 20,
      default: 3,
    }),
    PHASELINE_TOOL_BACKOFF_MS: milliseconds('the wait before the second try', 500),
    /** Pages are fetched from there, and MCP servers reached, although they are not on the public internet. */
    PHASELINE_ALLOWED_NETWORKS: list('networks such as 10.1.0.0/16', z.string().regex(/^[0-9A-Fa-f.:]+\/\d{1,3}$/)),
    /** Which search engine is asked where both are set up. */
    PHASELINE_SEARCH: z.enum(['tavily', 'searxng']).optional().describe('"tavily" or "searxng"'),
    TAVILY_API_KEY: z.string().optional().describe('the key of Tavily'),
    TAVILY_URL: serverUrl,
    SEARXNG_URL: serverUrl,
    ...packFields,
  },
  { servesApi: false },
);

export type ToolRunnerConfig = z.output<typeof toolRunnerConfig>;
