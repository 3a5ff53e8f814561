import { CodedError } from '@phaseline/basics';

/** Why a person could not sign in through the OpenID provider: HTTP status, and what the page says. */
const reasons = {
  not_configured: {
    status: 404,
    text: 'This service has no OpenID provider. Run phaseline login for a link, or set PHASELINE_OIDC_ISSUER.',
  },
  attempt_unknown: {
    status: 400,
    text: 'This sign-in was completed already, has expired, or was begun in another browser. Begin again.',
  },
  too_many_attempts: {
    status: 429,
    text: 'Too many sign-ins were begun from your address.',
  },
  provider_unreachable: {
    status: 503,
    text: 'The OpenID provider cannot be reached. Try again later, or run phaseline login for a link.',
  },
  provider_refused: {
    status: 403,
    text: 'The OpenID provider refused to sign you in. Begin again, or ask its administrator.',
  },
  answer_rejected: {
    status: 400,
    text: 'The answer of the OpenID provider is not valid for this sign-in. Begin again. If this repeats, ask an administrator to read the log of the orchestrator.',
  },
  account_unknown: {
    status: 403,
    text: 'Your account is not known here. Ask an administrator to link it to a principal.',
  },
  name_unusable: {
    status: 403,
    text: 'Your account has no name that can be used here. Ask an administrator to check PHASELINE_OIDC_NAME_CLAIM.',
  },
  name_taken: {
    status: 403,
    text: 'There is already a principal with your name that is not linked to your account. Ask an administrator to link it.',
  },
  principal_disabled: { status: 403, text: 'Your principal is disabled. Ask an administrator to enable it.' },
  no_role: {
    status: 403,
    text: 'You have no role here. Ask an administrator to grant one, or to add you to a group; then sign in again.',
  },
} as const;

/** A person could not sign in through the OpenID provider. */
export class SignInFailed extends CodedError {
  constructor(
    readonly code: keyof typeof reasons,
    private readonly options: ErrorOptions & { readonly detail?: string; readonly retryAfterSeconds?: number } = {},
  ) {
    super(`${reasons[code].text}${options.detail === undefined ? '' : ` ${options.detail}`}`, options);
  }

  get status(): number {
    return reasons[this.code].status;
  }

  /** Seconds after which a new attempt may succeed; undefined if time does not help. */
  get retryAfterSeconds(): number | undefined {
    return this.options.retryAfterSeconds;
  }
}
