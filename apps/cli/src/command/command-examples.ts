import type { Command } from 'commander';

/** Example command lines by command name, shown at the end of the command's help. */
const examples: Readonly<Record<string, readonly string[]>> = {
  demo: [
    'phaseline demo',
    'phaseline demo --document spec.pdf',
    'phaseline demo --agents creator,validator',
    'phaseline demo --plan "Prepare for a half marathon in twelve weeks, three evenings a week"',
  ],
  plan: [
    'phaseline plan "Learn to sail by May" --out plan',
    'phaseline plan "Move to a new office" --end 2027-06-30 --approvals milestone_approvals',
    'phaseline plan "two evenings a week instead of three" --goal-id sailing',
    'phaseline plan --continue',
    'phaseline plan "Save 6,000 euros within a year" --no-ask --json',
  ],
  'plan reply': ['phaseline plan reply 0190a8f2 approve', 'phaseline plan reply 0190a8f2 "shorter sessions"'],
  'learning calibration': [
    'phaseline learning calibration',
    'phaseline learning calibration --agent planner --since 30d --json',
  ],
  preferences: ['phaseline preferences', 'phaseline preferences --json'],
  'preferences set': [
    'phaseline preferences set tone friendly',
    `phaseline preferences set capacity '{"minutesPerDay":60,"minutesPerWeek":300}'`,
  ],
  'preferences clear': ['phaseline preferences clear tone'],
  'plan run': [
    'phaseline plan run 0190a8f2',
    'phaseline plan run 0190a8f2 --people as_planned --clock 2027-01-04T08:00:00Z --speed 86400',
  ],
  'plan trace': ['phaseline plan trace 0190a8f2'],
  'plan export': ['phaseline plan export 0190a8f2 --out plan'],
  up: ['phaseline up', 'phaseline up --port 8080 --queue-backend redis'],
  submit: [
    'phaseline submit creator --document spec.pdf --wait',
    'phaseline submit creator -d a.md -d b.md --budget-usd 2 --label team=norms',
    'phaseline submit creator -d spec.pdf -o json | jq -r .jobId',
  ],
  list: [
    'phaseline list --status running --watch',
    'phaseline list --label team=norms -o wide',
    'phaseline list --since 2h --sort cost --min-cost 0.50',
    'phaseline list --waits-for person --longer-than 1h --sort waiting',
    'phaseline list -o yaml',
  ],
  status: ['phaseline status 0190a8f2', 'phaseline status 0190a8f2 -o json'],
  watch: ['phaseline watch 0190a8f2'],
  events: ['phaseline events 0190a8f2 --follow', 'phaseline events 0190a8f2 --type ToolCallFailed -o json'],
  state: ['phaseline state 0190a8f2 --at 1200'],
  'files list': ['phaseline files list 0190a8f2'],
  'files cat': ['phaseline files cat 0190a8f2 output/summary.md'],
  'files pull': ['phaseline files pull 0190a8f2 output --out result'],
  cancel: [
    'phaseline cancel 0190a8f2 --reason "no longer needed" --wait',
    'phaseline cancel --label run=nightly --before 1d --dry-run',
  ],
  alerts: ['phaseline alerts', 'phaseline alerts --json | jq -r ".items[].title"'],
  queues: ['phaseline queues --watch', 'phaseline queues -o yaml'],
  'dead-letters': ['phaseline dead-letters --queue jobs', 'phaseline dead-letters retry 17'],
  'guards backtest': [
    'phaseline guards backtest no-secrets.yaml',
    'phaseline guards backtest agents/clerk/guards/policies --execute',
    'phaseline guards backtest no-secrets --record --tenant acme',
    'phaseline guards backtest no-secrets.yaml --cases ./my-cases',
    'phaseline guards backtest no-secrets.yaml --since 30d --agent creator --json',
  ],
  'guards add': ['phaseline guards add no-secrets.yaml --tenant acme'],
  'guards promote': [
    'phaseline guards promote no-secrets --tenant acme --cause outcomes_worse --figure "5 of 6 approvals refused" --reason "asked for by the review board"',
  ],
  'guards override': [
    'phaseline guards override no-secrets --job 0190a8f2 --reason "test data" --expires 30m',
    'phaseline guards override no-secrets --job 0190a8f2 --reason "no longer needed" --revoke',
  ],
  'principals create': ['phaseline principals create ada', 'phaseline principals create builder --kind service'],
  'principals grant': [
    'phaseline principals grant ada operator --tenant acme',
    "phaseline principals grant ada admin --tenant '*'",
  ],
  'keys create': [
    'phaseline keys create ada --label laptop --expires 30d',
    'phaseline keys create builder --right jobs:submit,jobs:read --tenant acme',
  ],
  'keys list': ['phaseline keys list --prefix 1a2b3c4d'],
  timeline: ['phaseline timeline 0190a8f2', 'phaseline timeline 0190a8f2 --from 1h --json'],
  workflow: ['phaseline workflow 0190a8f2'],
  claims: ['phaseline claims 0190a8f2', 'phaseline claims 0190a8f2 --json'],
  explain: [
    'phaseline explain 0190a8f2 output/requirements.json',
    'phaseline explain 0190a8f2 output/requirements.json:42',
    'phaseline explain 0190a8f2 output/summary.md:7 --at 1200 --json',
  ],
  fork: ['phaseline fork 0190a8f2 --at 1200 --model tactical=large'],
  bisect: ['phaseline bisect 0190a8f2', 'phaseline bisect 0190a8f2 --branches 5 --budget-usd 2 --json'],
  experiment: [
    'phaseline experiment --jobs agent=creator since=7d --agent creator-next',
    'phaseline experiment --jobs 0190a8f2 --model tactical=large --branches 10 --budget-usd 5',
  ],
  'costs what-if': [
    'phaseline costs what-if --context clearTokens=20000 --agent creator --since 7d',
    'phaseline costs what-if --model large --job 0190a8f2 --json',
  ],
  'check-release': [
    'phaseline check-release',
    'phaseline check-release --since 7d --agent creator',
    'phaseline check-release --job 0190a8f2 --json',
  ],
  'audit verify': [
    'phaseline audit verify',
    'phaseline audit verify --job 0190a8f2',
    'phaseline audit verify --claims',
    'phaseline audit verify --export folder',
  ],
  'audit export': ['phaseline audit export --out folder --with-files'],
  'audit check': ['phaseline audit check', 'phaseline audit check --job 0190a8f2 --json'],
  'audit download': ['phaseline audit download 0190a8f2 --out job.tar.gz --with-files'],
  'audit actions': [
    'phaseline audit actions --principal ada --since 7d',
    'phaseline audit actions --job 0190a8f2',
    'phaseline audit actions --action JobCancelRequested --json',
  ],
  doctor: ['phaseline doctor', 'phaseline doctor --fix'],
  'guards import': [
    'phaseline guards import .claude',
    'phaseline guards import .claude --agent writer --owner platform',
  ],
  'verifiers run': [
    'phaseline verifiers run coder unit --dir my-project',
    'phaseline verifiers run coder unit --begin before --dir after',
  ],
  'agents validate': ['phaseline agents validate', 'phaseline agents validate my-agents/writer'],
  completion: [
    'source <(phaseline completion bash)',
    'phaseline completion zsh > "${fpath[1]}/_phaseline"',
    'phaseline completion fish > ~/.config/fish/completions/phaseline.fish',
  ],
};

/** Adds the examples to the help of each command. */
export function addExamples(program: Command): void {
  for (const [path, lines] of Object.entries(examples)) {
    const command = findCommand(program, path.split(' '));
    command?.addHelpText(
      'after',
      ['', lines.length > 1 ? 'Examples:' : 'Example:', ...lines.map((line) => `  ${line}`)].join('\n'),
    );
  }
}

function findCommand(program: Command, path: readonly string[]): Command | undefined {
  return path.reduce<Command | undefined>(
    (command, name) => command?.commands.find((one) => one.name() === name),
    program,
  );
}

/** Returns examples whose command does not exist. For a spec. */
export function examplesWithoutCommand(program: Command): readonly string[] {
  return Object.keys(examples).filter((path) => !findCommand(program, path.split(' ')));
}
