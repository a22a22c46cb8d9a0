import { Badge, Button, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Ref, useRef, useState } from 'react';
import { useStanding } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import {
  languageName,
  languageOptions,
  stateIn,
  type TranslatedField,
  type Translations,
  textOf,
} from '../../lib/text/languages.ts';
import { listed, pageLanguage, rich, t } from '../../lib/words/words.ts';
import { Block } from '../page/block.tsx';
import classes from './language-block.module.css';

/** What a form has of the languages of its message. */
export interface LanguageValues {
  /** Empty: not stated. */
  readonly language: string;
  readonly translations: Translations;
}

interface Props {
  readonly appId: string;
  readonly value: LanguageValues;
  /** The texts and addresses that a translation may replace. */
  readonly fields: readonly TranslatedField[];
  /** What the message itself has in each field. */
  readonly own: Readonly<Record<string, string>>;
  readonly problem: (name: string) => string | undefined;
  readonly onChange: (value: Partial<LanguageValues>) => void;
}

/** How many of the visitors' languages are shown; the rest are single phones. */
const maxListed = 6;

/** The other languages of a message: which visitors have, which are missing, and their words. */
export function LanguageBlock(props: Props) {
  const { appId, value, onChange } = props;
  const { language, translations } = value;
  // Phones belong to no venue.
  const hasPhones = useStanding()?.venues === undefined;
  const { data: spoken } = useQuery({
    enabled: hasPhones,
    queryKey: dataKey(appId, 'listInstallations', 'languages'),
    queryFn: async ({ signal }) => (await call('listLanguages', { params: { appId }, signal })).result,
    staleTime: 60_000,
  });
  // The button that was pressed goes, and the focus with it: it goes on where there is something to do.
  const [added, setAdded] = useState<string>();
  const addButton = useRef<HTMLButtonElement>(null);
  const add = (tag: string) => {
    setAdded(tag);
    onChange({ translations: { ...translations, [tag]: translations[tag] ?? {} } });
  };
  const remove = (tag: string) => {
    addButton.current?.focus();
    onChange({ translations: Object.fromEntries(Object.entries(translations).filter(([one]) => one !== tag)) });
  };
  const tags = Object.keys(translations);
  const options = languageOptions([...tags, ...(language ? [language] : [])]);
  return (
    <Block
      title={t('Languages')}
      about={t(
        'Each visitor gets the language of their phone. Who speaks none of them gets the message as it is above.',
      )}
    >
      <Stack gap="md">
        <Select
          label={t('The message above is in')}
          placeholder={t('Not said')}
          searchable
          clearable
          data={options.filter(({ value: tag }) => !tags.includes(tag))}
          value={language || null}
          error={props.problem('language')}
          onChange={(tag) => onChange({ language: tag ?? '' })}
        />
        {spoken && spoken.languages.length > 0 && <Spoken {...props} spoken={spoken} onAdd={add} />}
        {tags.map((tag) => (
          <Words key={tag} {...props} tag={tag} isAdded={tag === added} onRemove={() => remove(tag)} />
        ))}
        <AddLanguage
          button={addButton}
          options={options.filter(({ value: tag }) => tag !== language && !tags.includes(tag))}
          onAdd={add}
        />
        {props.problem('translations') && (
          <Text size="sm" c="var(--mantine-color-error)">
            {props.problem('translations')}
          </Text>
        )}
      </Stack>
    </Block>
  );
}

interface Languages {
  readonly languages: readonly { readonly language: string; readonly count: number }[];
  readonly unknown: number;
}

/** What visitors' phones speak, and whether this message does. */
function Spoken({
  value,
  fields,
  own,
  spoken,
  onAdd,
}: Props & { readonly spoken: Languages; readonly onAdd: (tag: string) => void }) {
  const { language, translations } = value;
  const texts = fields.filter(({ name, kind }) => kind !== 'address' && (own[name] ?? '').trim() !== '');
  return (
    <div>
      <Text size="sm" fw={500} id="spoken-languages">
        {t('The languages of your visitors’ phones')}
      </Text>
      <ul className={classes.spoken} aria-labelledby="spoken-languages">
        {spoken.languages.slice(0, maxListed).map(({ language: tag, count }) => {
          const isOwn = language === tag || language.startsWith(`${tag}-`);
          const { kind, lacks } = stateIn(translations[tag], texts);
          return (
            <li key={tag}>
              <span className={classes.name}>{languageName(tag)}</span>
              <span className={classes.count}>{count.toLocaleString(pageLanguage())}</span>
              {isOwn ? (
                <Badge variant="light" tt="none">
                  {t('The message itself')}
                </Badge>
              ) : kind === 'missing' ? (
                <>
                  <Badge variant="light" color="yellow" tt="none">
                    {t('Missing')}
                  </Badge>
                  <Button size="compact-xs" variant="subtle" onClick={() => onAdd(tag)}>
                    {rich('Write it<part> in {languageName}</part>', {
                      languageName: languageName(tag),
                      part: (inner) => <span className={classes.hidden}>{inner}</span>,
                    })}
                  </Button>
                </>
              ) : (
                <Badge variant="light" color={kind === 'complete' ? 'teal' : 'yellow'} tt="none">
                  {kind === 'complete'
                    ? t('Written')
                    : t('{list} missing', { list: listed(lacks.map(({ label }) => label)) })}
                </Badge>
              )}
            </li>
          );
        })}
      </ul>
      {spoken.unknown > 0 && (
        <Text size="xs" c="dimmed">
          {t('{unknown, number} {unknown, plural, one {phone has} other {phones have}} not told their language.', {
            unknown: spoken.unknown,
          })}
        </Text>
      )}
    </div>
  );
}

function Words({
  value: { translations },
  tag,
  isAdded,
  fields,
  own,
  problem,
  onChange,
  onRemove,
}: Props & { readonly tag: string; readonly isAdded: boolean; readonly onRemove: () => void }) {
  const words = translations[tag] ?? {};
  const name = languageName(tag);
  const set = (field: string, text: string) =>
    onChange({ translations: { ...translations, [tag]: { ...words, [field]: text } } });
  return (
    <fieldset className={classes.language}>
      <legend>{name}</legend>
      <Stack gap="sm">
        {fields.map(({ name: field, label, kind }, index) => {
          const shared = {
            autoFocus: isAdded && index === 0,
            lang: tag,
            label: t('{label} in {name}', { label, name }),
            placeholder: own[field] ?? '',
            value: textOf(words[field]),
            error: problem(`translations.${tag}.${field}`),
            onChange: ({ currentTarget }: { currentTarget: { value: string } }) => set(field, currentTarget.value),
          };
          if (kind === 'text') return <Textarea key={field} autosize minRows={2} maxRows={8} {...shared} />;
          return <TextInput key={field} {...shared} />;
        })}
        {problem(`translations.${tag}`) && (
          <Text size="sm" c="var(--mantine-color-error)">
            {problem(`translations.${tag}`)}
          </Text>
        )}
        <Group>
          <Button size="compact-sm" variant="subtle" color="red" onClick={onRemove}>
            {t('Remove {name}', { name })}
          </Button>
        </Group>
      </Stack>
    </fieldset>
  );
}

interface AddProps {
  readonly button: Ref<HTMLButtonElement>;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onAdd: (tag: string) => void;
}

function AddLanguage({ button, options, onAdd }: AddProps) {
  const [isOpen, setOpen] = useState(false);
  if (!isOpen)
    return (
      <Group>
        <Button ref={button} variant="default" size="xs" onClick={() => setOpen(true)}>
          {t('Add a language')}
        </Button>
      </Group>
    );
  return (
    <Select
      label={t('Add a language')}
      placeholder={t('Type its name')}
      searchable
      autoFocus
      data={[...options]}
      value={null}
      nothingFoundMessage={t('No such language here')}
      onChange={(tag) => {
        if (tag) onAdd(tag);
        setOpen(false);
      }}
    />
  );
}
