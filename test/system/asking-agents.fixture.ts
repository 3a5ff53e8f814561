/** Agents that need a person, as texts of `agent.yaml` by name. */
export const askingAgents = {
  asker: `name: asker
displayName: Asker
description: Asks a person which colour the result should have.
tools:
  workspace: [read_file, write_file, append_file]
  domain: [ask_person]
deliverables: [output/result.md]
`,
  careful: `name: careful
displayName: Careful
description: Writes a result that a person has to approve.
tools:
  workspace: [read_file, write_file, append_file]
approvals: { tools: [write_file] }
deliverables: [output/result.md]
`,
} as const;
