import { z } from 'zod';
import { list } from './fields.js';

/** Settings of services that run commands and start MCP servers. */
export const sandboxFields = {
  PHASELINE_SANDBOX: z
    .enum(['auto', 'bubblewrap', 'unshare', 'container', 'none'])
    .default('auto')
    .describe(
      'how run_command and MCP servers over stdio are contained: "auto" (bubblewrap, else unshare), "bubblewrap", "unshare", "container", or "none" for no sandbox at all',
    ),
  PHASELINE_SANDBOX_TOOLCHAIN: list(
    'folders with programs that commands may read, in addition to those of the system',
    z.string().startsWith('/'),
  ),
  PHASELINE_SANDBOX_IMAGE: z
    .string()
    .min(1)
    .optional()
    .describe('the image of containers, for PHASELINE_SANDBOX=container'),
  PHASELINE_SANDBOX_PROGRAM: z
    .string()
    .min(1)
    .default('docker')
    .describe('the program that starts containers: "docker", "podman" or an absolute path'),
};

type SandboxConfig = z.output<z.ZodObject<typeof sandboxFields>>;

/** Returns the settings in the form that `Sandbox` takes. */
export function toSandboxSettings(config: SandboxConfig) {
  return {
    mode: config.PHASELINE_SANDBOX,
    toolchain: config.PHASELINE_SANDBOX_TOOLCHAIN,
    containerProgram: config.PHASELINE_SANDBOX_PROGRAM,
    ...(config.PHASELINE_SANDBOX_IMAGE === undefined ? {} : { containerImage: config.PHASELINE_SANDBOX_IMAGE }),
  };
}
