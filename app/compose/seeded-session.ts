import type { AuthService } from '#app/compose/people.ts';
import { seed } from '#app/compose/seed.ts';
import type { Config } from '#src/config/config.ts';
import type { ToolDeps } from '#tools/deps.ts';

/**
 * With API_DEBUG=true: the seed, and a session of its operator; without, the end of the one that an earlier start left. Answers the line
 * to send as a header where the token was made here. Source: `auth.debug.session`.
 */
export async function beginSeededSession(
  { deps, sessions }: { readonly deps: ToolDeps; readonly sessions: AuthService },
  config: Config,
): Promise<string | null> {
  const { debug, tokenIgnored } = config.dashboard;
  if (tokenIgnored) deps.logger.warn({}, 'DASHBOARD_SESSION_TOKEN is ignored: it is read with API_DEBUG=true only');
  if (debug === null) {
    await sessions.closeSeeded();
    return null;
  }
  const { operatorEmail: email, organizationId } = await seed({ deps, sessions }, config);
  const cookie = await sessions.openSeeded({ email, organizationId });
  deps.logger.warn({}, 'API_DEBUG=true: a seeded session opens the dashboard to whoever knows its token');
  return debug.token === null ? `Cookie: ${cookie}` : null;
}
