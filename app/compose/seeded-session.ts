import type { AuthService } from '#app/compose/people.ts';
import { seed } from '#app/compose/seed.ts';
import type { Config } from '#src/config/config.ts';
import type { ToolDeps } from '#tools/deps.ts';

/**
 * With API_DEBUG=true, seeds the project and makes a session of its operator. Without it, ends the session that an earlier start left.
 * Returns the header line to send if the token was made here. Source: `auth.debug.session`.
 */
export async function beginSeededSession(
  { deps, sessions }: { readonly deps: ToolDeps; readonly sessions: AuthService },
  config: Config,
): Promise<string | null> {
  const { debug, tokenIgnored } = config.dashboard;
  if (tokenIgnored) deps.logger.warn({}, 'DASHBOARD_SESSION_TOKEN is ignored: it needs API_DEBUG=true');
  if (debug === null) {
    await sessions.closeSeeded();
    return null;
  }
  const { operatorEmail: email, organizationId } = await seed({ deps, sessions }, config);
  const cookie = await sessions.openSeeded({ email, organizationId });
  deps.logger.warn({}, 'API_DEBUG=true: anyone with the token of the seeded session can open the dashboard');
  return debug.token === null ? `Cookie: ${cookie}` : null;
}
