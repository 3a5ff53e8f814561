import { scanShell } from '../settings/shell-words.js';
import type { HookHandler } from '../settings/hook-handler.js';
import type { ImportNote } from '../settings/import-settings.js';

const SET = '.claude/';
/** Beginnings that mean the working directory. */
const PROJECT = /^(?:\$\{?CLAUDE_PROJECT_DIR\}?\/|\.\/)/;
const PLUGIN = /^\$\{?CLAUDE_PLUGIN_ROOT\}?\//;
const SCRIPT = /\.(?:py|sh|bash|js|mjs|cjs|ts|rb|pl)$/;
/** Folders of the machine that hooks see. */
const SYSTEM = /^\/(?:usr|bin|sbin|lib|etc|dev|tmp|proc)\//;

interface ScriptNotes {
  /** Scripts that the guard set does not contain although it should. */
  readonly problems: readonly ImportNote[];
  /** Scripts that no guard set can contain. */
  readonly unsupported: readonly ImportNote[];
}

/**
 * Finds scripts that hooks name and that the guard set does not have: a script of the workspace could be changed by the agent, and a folder of a
 * person's machine is not seen.
 */
export function findScriptNotes(handlers: readonly HookHandler[], paths: ReadonlySet<string>): ScriptNotes {
  const problems: ImportNote[] = [];
  const unsupported: ImportNote[] = [];
  for (const handler of handlers) {
    if (handler.kind !== 'command') continue;
    const place = handler.name;
    for (const word of listWords(handler.command, handler.args)) {
      const inProject = PLUGIN.test(word) ? word.replace(PLUGIN, SET) : word.replace(PROJECT, '');
      if (inProject.startsWith(SET)) {
        const path = inProject.slice(SET.length);
        if (SCRIPT.test(path) && !paths.has(path))
          problems.push({ place, message: `the script ${inProject} does not exist in the folder` });
      } else if (PROJECT.test(word) && word !== './')
        unsupported.push({ place, message: `${inProject} is a file of the workspace, which the agent can change` });
      else if (/^(?:~|\$\{?HOME\}?\/|\/)/.test(word) && SCRIPT.test(word) && !SYSTEM.test(word))
        unsupported.push({ place, message: `${word} is outside of the folder, and hooks do not see it` });
      else if (SCRIPT.test(word) && !/^[/$~-]/.test(word) && !word.includes(' '))
        unsupported.push({ place, message: `${word} is a file of the workspace, which the agent can change` });
    }
  }
  return { problems, unsupported };
}

function listWords(command: string, args: readonly string[] | undefined): readonly string[] {
  if (args) return [command, ...args];
  const found = scanShell(command);
  return found ? found.commands.flatMap(({ words }) => words.map(({ text }) => text)) : [];
}
