import type { Letter } from '#src/domain/access/account-mail.ts';

const ignore = 'If you did not ask for this, ignore this mail: without the link nothing happens.';
const lines = (...parts: readonly string[]): string => `${parts.join('\n\n')}\n`;

/** A name that its owner chose, short and without anything that a mail program makes a link of. */
const shown = (name: string): string =>
  `"${name
    .replaceAll(/[^\p{L}\p{N} &'-]+/gu, ' ')
    .trim()
    .slice(0, 60)}"`;

/** Words of the mails. No text of a stranger is in them, but for the name of an organization: a stranger can have them sent to anybody. */
export const letters = {
  signUp: (to: string, link: string): Letter => ({
    to,
    subject: 'Confirm your e-mail address',
    text: lines(
      'Somebody, probably you, created an Inkgraph account with this address.',
      'To finish, open this link within 24 hours and type the password that you chose:',
      link,
      ignore,
    ),
  }),
  signUpTaken: (to: string, signIn: string, forgot: string): Letter => ({
    to,
    subject: 'You have an account already',
    text: lines(
      'Somebody, probably you, tried to create an Inkgraph account with this address. The address has an account already.',
      `Sign in: ${signIn}`,
      `Choose a new password: ${forgot}`,
      'If it was not you, ignore this mail. Nothing was changed.',
    ),
  }),
  verify: (to: string, link: string): Letter => ({
    to,
    subject: 'Confirm your e-mail address',
    text: lines('Open this link within 24 hours, in a browser in which you are signed in to Inkgraph:', link, ignore),
  }),
  reset: (to: string, link: string): Letter => ({
    to,
    subject: 'Choose a new password',
    text: lines('Open this link within an hour to choose a new password for your Inkgraph account:', link, ignore),
  }),
  invitation: (
    to: string,
    link: string,
    { organizationName, role }: { readonly organizationName: string; readonly role: string },
  ): Letter => ({
    to,
    subject: 'Invitation to an organization on Inkgraph',
    text: lines(
      `You are invited to the organization ${shown(organizationName)}, as ${role}. Open this link within a week:`,
      link,
      'If you do not expect this invitation, ignore this mail.',
    ),
  }),
};
