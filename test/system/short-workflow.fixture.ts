/** Definitions by path: a workflow with a planning, a working and a completing phase of one todo each, and the model that it uses. */
export const shortWorkflow: Readonly<Record<string, string>> = {
  'workflows/short.yaml': `
name: short
version: 1
start: plan
states:
  plan:
    kind: strategic
    title: Plan
    todos: [Plan the work]
    finish: planned
    outcomes:
      planned: { to: execute, gates: [todos-file] }
  execute:
    kind: tactical
    title: Work
    todos: from-file
    finish: done
    archive: true
    outcomes:
      done: { to: review }
  review:
    kind: strategic
    title: Review
    todos: [Complete the job]
    finish: planned
    completion: completed
    outcomes:
      planned: { to: execute, gates: [todos-file] }
      completed: { end: completed }
`,
  'models/default.yaml': 'name: default\nmodel: rehearsal\ncontextTokens: 100000\n',
};
