import { list, milliseconds, sandboxFields, urlOf } from '@phaseline/service';
import { createToolRunnerConfig } from '@phaseline/workers';
import { z } from 'zod';
import { repositoryFields } from './repositories/repository-config.js';
import { packFields } from './pack-config.js';

const serverUrl = urlOf('a URL such as https://host', ['http:', 'https:']).optional();

/** Settings of the tool-runner, with those of its packs. */
export const toolRunnerConfig = createToolRunnerConfig({
  /** Networks outside the public internet from which pages may be fetched and in which MCP servers may be reached. */
  PHASELINE_ALLOWED_PRIVATE_NETWORKS: list(
    'private networks that tools may reach, such as 10.1.0.0/16',
    z.string().regex(/^[0-9A-Fa-f.:]+\/\d{1,3}$/),
  ),
  /** Search engine to use when both are configured. */
  PHASELINE_SEARCH_PROVIDER: z.enum(['tavily', 'searxng']).optional().describe('"tavily" or "searxng"'),
  TAVILY_API_KEY: z.string().optional().describe('the key of Tavily'),
  TAVILY_URL: serverUrl,
  SEARXNG_URL: serverUrl,
  PHASELINE_WORK_DIR: z
    .string()
    .default('.phaseline/work')
    .describe('the folder in which commands run; it holds files of open jobs, and may be lost at any time'),
  PHASELINE_WORK_KEEP_MS: milliseconds(
    'how long the caches of an ended phase are kept in that folder after their last use, while the job is open',
    3_600_000,
  ),
  ...repositoryFields,
  ...sandboxFields,
  ...packFields,
});

export type ToolRunnerConfig = z.output<typeof toolRunnerConfig>;
