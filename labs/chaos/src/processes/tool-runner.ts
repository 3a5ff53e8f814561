/** The tool-runner with the tools of the chaos agent added. */
import type { ToolPack } from '@phaseline/tools';
import { createChaosPack } from '../agent/chaos-pack.js';
import { effectsFile } from './effects-file.js';

// Imported by path because apps export nothing.
const app = new URL('../../../../apps/tool-runner/dist/run-tool-runner.js', import.meta.url);
const { runToolRunner } = (await import(app.href)) as { runToolRunner(packs: readonly ToolPack[]): Promise<void> };
await runToolRunner([createChaosPack(effectsFile())]);
