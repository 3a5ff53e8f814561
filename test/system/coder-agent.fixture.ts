/**
 * Builds the definition of an agent that changes a repository with git and a shell. `approvals` names a tool whose calls wait for a person,
 * `settings` is one more setting of its commands.
 */
export function buildCoder({ approvals = '', settings = '' }: { approvals?: string; settings?: string }): string {
  return `name: coder
displayName: Coder
description: Changes a repository.
tools:
  workspace: [read_file, append_file]
  strategic: [todo_write, todo_complete, job_complete]
  tactical: [todo_complete]
  domain: [run_command]
${approvals === '' ? '' : `approvals: { tools: [${approvals}] }\n`}todos: { min: 1, max: 20 }
stuck: { enabled: false }
settings: { commands: { ${['allow: [git]', 'shell: true', settings].filter(Boolean).join(', ')} } }
`;
}
