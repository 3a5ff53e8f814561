import { join } from 'node:path';
import { buildProgramEnvironment } from '@phaseline/basics/processes';
import { ToolError } from '@phaseline/contracts';
import { FIRST_PROCESS } from './bubblewrap.js';
import {
  computeMaxTasks,
  CORE_BYTES,
  MEMORY_DISK_BYTES,
  PROXY_FOLDER,
  SANDBOX_PATHS,
  type ContainedCommand,
  type Launch,
} from './sandbox-settings.js';

export interface ContainerTools {
  /** `docker` or `podman`, as an absolute path. */
  readonly program: string;
  readonly image: string;
  /** User and group of the files of the job, as `uid:gid`. */
  readonly user: string;
}

/** Variables that the program which starts containers needs to find its service. */
const PASSED_ON = ['PATH', 'HOME', 'XDG_RUNTIME_DIR', 'DOCKER_HOST', 'DOCKER_CONTEXT', 'CONTAINER_HOST'];

/** Builds the command line that runs a command in a container of its own. The programs are those of the image. */
export function launchInContainer(
  command: ContainedCommand,
  tools: ContainerTools,
  name: string,
  folder: string,
): Launch {
  const { workspace, tmp, home } = SANDBOX_PATHS;
  const { folders, mounts, limits, proxyFolder } = command;
  const mount = (source: string, target: string, readOnly = false): string[] => [
    '--mount',
    `type=bind,source=${source},target=${target}${readOnly ? ',readonly' : ''}`,
  ];
  const memory = `size=${MEMORY_DISK_BYTES},mode=1777,nosuid,nodev`;
  return {
    file: tools.program,
    args: [
      ...['run', '--rm', '--interactive', '--init', '--name', name, '--network', 'none', '--read-only'],
      ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--user', tools.user, '--hostname', 'sandbox'],
      ...['--memory', `${limits.maxMemoryBytes}`, '--memory-swap', `${limits.maxMemoryBytes}`],
      ...[
        '--pids-limit',
        `${computeMaxTasks(limits)}`,
        '--ulimit',
        `core=${CORE_BYTES}`,
        '--ulimit',
        `fsize=${limits.maxFileBytes}`,
      ],
      ...['--tmpfs', `${home}:${memory}`, ...mount(folders.folder, workspace), ...mount(folders.tmp, tmp)],
      ...mounts.flatMap(({ from, at }) => mount(from, at, true)),
      ...(proxyFolder === undefined ? [] : mount(proxyFolder, PROXY_FOLDER, true)),
      // Not as arguments, which every user of the machine can read.
      ...['--env-file', join(folder, 'environment')],
      ...['--workdir', join(workspace, command.cwd), '--entrypoint', '/bin/sh', tools.image],
      ...['-c', FIRST_PROCESS, command.file, ...command.args],
    ],
    env: buildProgramEnvironment({}, PASSED_ON),
    cwd: '/',
    files: { environment: buildEnvironmentFile(command.env) },
  };
}

/** The format has no way to write a line break. */
function buildEnvironmentFile(env: Readonly<Record<string, string>>): string {
  const broken = Object.keys(env).find((name) => /[\r\n]/.test(env[name]!));
  if (broken !== undefined)
    throw new ToolError(
      'bad_variable',
      `The variable ${broken} contains a line break, which a container cannot be given.`,
    );
  return Object.entries(env)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
