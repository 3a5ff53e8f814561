import { useQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';
import { Button } from '../ui/button.js';
import { Code, Command, copy } from '../ui/code.js';
import { Notice } from '../ui/notice.js';
import { QueryView } from '../ui/query-view.js';

/** The file of a rule that denies the calls of a pattern. Nothing is stored: a person reads it, and adds it as a draft. */
export function GuardProposal({ pattern }: { readonly pattern: string }) {
  const proposal = useQuery({
    queryKey: ['learning', 'proposal', pattern],
    queryFn: async ({ signal }) => {
      // Few people open a proposal, so its library is loaded with it.
      const [{ stringify }, { guard, problem }] = await Promise.all([
        import('yaml'),
        client.learning.proposeGuard(pattern, { signal }),
      ]);
      return guard ? { name: String(guard['name']), yaml: stringify(guard) } : { problem };
    },
  });
  return (
    <QueryView query={proposal}>
      {({ name, yaml, problem }) =>
        yaml === undefined ? (
          <Notice>This pattern has no rule: {problem ?? 'the server gives no reason'}.</Notice>
        ) : (
          <div className="stack-small">
            <p className="muted">
              The least general rule that denies these calls and no accepted call of a completed job. No model wrote any
              of it. Read it, then save it and add it as a draft, which has no effect:{' '}
              <Command text={`phaseline guards add ${name}.yaml`} />
            </p>
            <Code label={`Rule ${name}`} text={yaml} />
            <div className="row">
              <Button onClick={() => copy(yaml)}>Copy the rule</Button>
              <span className="muted">Or write the file:</span>
              <Command text={`phaseline learning create-guard ${pattern}`} />
            </div>
          </div>
        )
      }
    </QueryView>
  );
}
