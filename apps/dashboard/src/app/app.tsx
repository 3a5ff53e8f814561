import { QueryClientProvider } from '@tanstack/react-query';
import { PhaselineClientError } from '@phaseline/client';
import { Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { queryClient } from '../api/query-client.js';
import { useRights, useWhoAmI } from '../api/use-rights.js';
import { useLive } from '../live/use-live.js';
import { SignInScreen } from '../sign-in/sign-in-screen.js';
import { QueryView } from '../ui/query-view.js';
import { ErrorBoundary } from './error-boundary.js';
import { NotFoundScreen } from './not-found-screen.js';
import { screens } from './screens.js';
import { Shell } from './shell.js';

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <SignedIn />
    </QueryClientProvider>
  );
}

/** The screens for a caller that the server knows; else how to sign in. */
function SignedIn() {
  const caller = useWhoAmI();
  if (caller.error instanceof PhaselineClientError && caller.error.code === 'unauthorized') return <SignInScreen />;
  return <QueryView query={caller}>{() => <Screens />}</QueryView>;
}

function Screens() {
  useLive(useRights()('jobs:read'));
  return (
    <Shell>
      <ErrorBoundary>
        <Suspense fallback={<p className="page muted">Loading…</p>}>
          <Switch>
            {screens.map(({ path, component }) => (
              <Route key={path} path={path} component={component} />
            ))}
            <Route component={NotFoundScreen} />
          </Switch>
        </Suspense>
      </ErrorBoundary>
    </Shell>
  );
}
