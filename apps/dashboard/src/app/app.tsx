import { QueryClientProvider } from '@tanstack/react-query';
import { PhaselineClientError } from '@phaseline/client';
import { Suspense, useEffect, useState } from 'react';
import { matchRoute, Route, Switch, useLocation, useRouter } from 'wouter';
import { queryClient } from '../api/query-client.js';
import { useRights, useWhoAmI } from '../api/use-rights.js';
import { useLive } from '../live/use-live.js';
import { SignInScreen } from '../sign-in/sign-in-screen.js';
import { Loading } from '../ui/loading.js';
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
  const isLoaded = useFirstScreen();
  if (caller.error instanceof PhaselineClientError && caller.error.code === 'unauthorized') return <SignInScreen />;
  return <QueryView query={caller}>{() => (isLoaded ? <Screens /> : <Loading className="page" />)}</QueryView>;
}

/** Loads the code of the first screen while the server is asked who the caller is. Returns whether that has ended. */
function useFirstScreen(): boolean {
  const [path] = useLocation();
  const { parser } = useRouter();
  const [first] = useState(() => screens.find((screen) => matchRoute(parser, screen.path, path)[0]));
  const [isLoaded, setLoaded] = useState(first === undefined);
  useEffect(() => void first?.load().then(() => setLoaded(true)), [first]);
  return isLoaded;
}

function Screens() {
  useLive(useRights()('jobs:read'));
  return (
    <Shell>
      <ErrorBoundary>
        <Suspense fallback={<Loading className="page" />}>
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
