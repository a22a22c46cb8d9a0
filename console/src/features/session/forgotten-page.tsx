import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Form } from '../../components/form/form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { FailureNote } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { rich, t } from '../../lib/words/words.ts';
import { Front } from './front.tsx';

/** Asks for a mail with a link to a new password. */
export function ForgottenPage() {
  const fields = useFields({ email: '' });
  const [sentTo, setSentTo] = useState<string>();
  const ask = useAction({
    run: () => call('requestPasswordLink', { body: fields.values }),
    showsError: true,
    after: () => setSentTo(fields.values.email),
  });
  const back = (
    <Anchor component={Link} to="/sign-in" size="sm">
      {t('Back to signing in')}
    </Anchor>
  );
  if (sentTo !== undefined)
    return (
      <Front
        title={t('Look into your mail')}
        about={rich(
          'If <b>{sentTo}</b> belongs to an administrator, a mail with a link to a new password is on its way. The link works once and for an hour.',
          { sentTo },
        )}
      >
        {back}
      </Front>
    );
  return (
    <Front title={t('Forgot your password?')} about={t('You get a mail with a link to a new one.')}>
      <Form onSubmit={() => ask.mutate(undefined, { onError: fields.setFailure })}>
        <Stack>
          <FailureNote message={fields.rest(['email'])} />
          <TextInput
            label={t('E-mail')}
            type="email"
            autoComplete="username"
            autoFocus
            required
            {...fields.text('email')}
          />
          <Button variant="filled" type="submit" loading={ask.isPending} fullWidth mt="xs">
            {t('Send the mail')}
          </Button>
          <Text c="dimmed">{t('Lost the phone or the key of your second factor too? An owner can help.')}</Text>
          {back}
        </Stack>
      </Form>
    </Front>
  );
}
