import { useParams, useSearchParams } from 'wouter';
import { GuardPage } from './guard-page.js';
import { GuardList } from './guard-list.js';
import { readPlace } from './use-guards.js';

/** The guards of the installation and of tenants, or one of them. */
export default function GuardsScreen() {
  const { guard } = useParams<{ guard?: string }>();
  const [params] = useSearchParams();
  return guard === undefined ? <GuardList /> : <GuardPage name={guard} place={readPlace(params)} />;
}
