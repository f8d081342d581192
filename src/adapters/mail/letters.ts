import type { Letter } from '#src/domain/access/account-mail.ts';

const ignore = 'If you did not ask for this, ignore this mail: without the link nothing happens.';
const lines = (...parts: readonly string[]): string => `${parts.join('\n\n')}\n`;

/** Words of the mails. No text of a stranger is in them: a stranger can have them sent to anybody. */
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
};
