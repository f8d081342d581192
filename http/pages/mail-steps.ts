import { formPage, type Carried } from '#http/pages/account.ts';
import type { Entry, Field } from '#http/pages/fields.ts';
import { html } from '#http/pages/html.ts';
import type { Page } from '#http/pages/layout.ts';

const email: Field = {
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  autocomplete: 'username',
  maxLength: 254,
};
const chosenPassword: Field = {
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'current-password',
  hint: 'The one that you chose when you created the account.',
  maxLength: 128,
};
const newPassword: Field = {
  name: 'newPassword',
  label: 'New password',
  type: 'password',
  autocomplete: 'new-password',
  hint: 'At least 10 characters. A few words make a good password.',
  maxLength: 128,
};
const tokenField = (token: string) => html`<input type="hidden" name="token" value="${token}" />`;
const toSignIn = html`<p><a href="/sign-in">Sign in</a></p>`;

/** The same for addresses with and without an account. */
export function checkMailPage(): Page {
  const body = html`<section>
      <p>If the address can be used, a mail is on its way to it. Open the link in the mail to go on.</p>
      <p class="soft">Nothing there after some minutes? Look in the spam folder, and check the address.</p>
    </section>
    ${toSignIn}`;
  return { title: 'Check your mail', body };
}

export function forgotPasswordPage(entry: Entry, carried: Carried): Page {
  const form = {
    title: 'Forgot your password?',
    path: '/forgot-password',
    fields: [email],
    button: 'Send a link',
    other: toSignIn,
  };
  return formPage(form, entry, carried);
}

export const resetPasswordPage =
  (token: string) =>
  (entry: Entry, carried: Carried): Page => {
    const form = {
      title: 'Choose a new password',
      path: '/reset-password',
      fields: [newPassword],
      hidden: tokenField(token),
      button: 'Set password',
      other: html`<p class="soft">This signs you out everywhere.</p>`,
    };
    return formPage(form, entry, carried);
  };

export function passwordSetPage(): Page {
  return {
    title: 'Password set',
    body: html`<p class="done">Your new password is set.</p>
      ${toSignIn}`,
  };
}

/** Finishes a sign-up. */
export const confirmSignUpPage =
  ({ token, address }: { readonly token: string; readonly address: string }) =>
  (entry: Entry, carried: Carried): Page => {
    const form = {
      title: 'Confirm your e-mail address',
      path: '/verify-email',
      fields: [chosenPassword],
      hidden: html`${tokenField(token)}
        <p class="lead">The account of <strong>${address}</strong> begins when you type its password.</p>`,
      button: 'Confirm',
      other: html`<p class="soft">You did not create this account? Close this page: it will not exist.</p>`,
    };
    return formPage(form, entry, carried);
  };

/** Confirms the address of the person who is signed in. */
export const confirmAddressPage =
  ({ token, address }: { readonly token: string; readonly address: string }) =>
  (entry: Entry, carried: Carried): Page => {
    const form = {
      title: 'Confirm your e-mail address',
      path: '/verify-email',
      fields: [],
      hidden: html`${tokenField(token)}
        <p class="lead">Confirm that <strong>${address}</strong> is your address.</p>`,
      button: 'Confirm',
      other: null,
    };
    return formPage(form, entry, carried);
  };
