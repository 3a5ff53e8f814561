/** Addresses of the screens. All of them are one page, which shows the screen of its address. */
export const SCREENS: string[] = [
  ...[
    '',
    'jobs',
    'jobs/:jobId',
    'compare/:jobId/:otherJobId',
    'plans',
    'plans/:jobId',
    'inbox',
    'submit',
    'agents',
    'agents/:agent',
  ],
  ...['guards', 'guards/:guard', 'audit', 'audit/:jobId', 'dead-letters', 'dead-letters/:deadLetterId'],
  ...['learning', 'learning/:tab', 'learning/:tab/:id', 'settings', 'settings/:tab'],
];

/** Whether a path is one of the dashboard's, for which no session is needed. */
export function isDashboardPath(path: string): boolean {
  const parts = path.slice(1).split('/');
  return [...SCREENS, 'assets/:file'].some((screen) => {
    const pattern = screen.split('/');
    return pattern.length === parts.length && pattern.every((part, at) => part === parts[at] || part.startsWith(':'));
  });
}
