import { errorCodes } from '#src/contracts/error-codes.ts';
import { generatedNote, table } from '#scripts/gen/markdown.ts';

export function errorsDoc(): string {
  const rows = Object.entries(errorCodes).map(([code, { status, title, retry }]) => [
    `\`${code}\``,
    String(status),
    title,
    retry ? 'yes' : '',
  ]);
  return `${generatedNote}
# Errors

Every error of the three services is \`application/problem+json\` (RFC 9457) with a \`code\` of this table; failed runs and steps carry the same codes.

${table(['Code', 'Status', 'Title', 'May succeed later unchanged'], rows)}
`;
}
