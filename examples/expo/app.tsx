/** The guide's one screen. */
import type { SensingFinding } from '@pharos/sdk';
import { useEffect, useState } from 'react';
import { AppState, FlatList, Image, SafeAreaView, StyleSheet, Switch, Text, View } from 'react-native';
import { type Guide, openGuide, type Words } from './guide.ts';

const heard: Words[] = [];
let onHeard: () => void = () => undefined;

/** Begun before there is a screen: there may never be one. */
const opening = openGuide((words) => {
  heard.unshift(words);
  onHeard();
});
opening.catch(() => undefined);

export function App() {
  const [guide, setGuide] = useState<Guide>();
  const [state, setState] = useState('One moment …');
  const [isAllowed, setAllowed] = useState(false);
  const [findings, setFindings] = useState<readonly SensingFinding[]>([]);
  const [messages, setMessages] = useState<readonly Words[]>([]);

  useEffect(() => {
    onHeard = () => setMessages([...heard]);
    onHeard();
    const fail = () => setState('Open the guide once with a network.');
    opening.then(async (opened) => {
      setGuide(opened);
      setAllowed(opened.isAllowed);
      setState(await opened.refresh());
      setFindings(await opened.findings);
    }, fail);
    const returned = AppState.addEventListener('change', async (next) => {
      if (next === 'active') setState(await (await opening).refresh());
    });
    return () => returned.remove();
  }, []);

  async function allow(isGranted: boolean) {
    setAllowed(isGranted);
    setFindings((await guide?.allow(isGranted)) ?? []);
  }

  return (
    <SafeAreaView style={styles.screen}>
      <Text style={styles.heading}>Museum guide</Text>
      <Text>{state}</Text>
      <View style={styles.choice}>
        <Switch
          accessibilityLabel="Tell me about what I am standing in front of"
          disabled={guide === undefined}
          onValueChange={(isGranted) => void allow(isGranted)}
          value={isAllowed}
        />
        <Text style={styles.label}>Tell me about what I am standing in front of</Text>
      </View>
      {findings.map(({ cause, text, remedy }) => (
        <Text key={cause} style={styles.finding}>{`${text} ${remedy}`}</Text>
      ))}
      <FlatList
        data={messages}
        keyExtractor={({ deliveryId }) => deliveryId}
        renderItem={({ item }) => (
          <View style={styles.message}>
            {item.title !== '' && <Text style={styles.title}>{item.title}</Text>}
            {item.text !== '' && <Text>{item.text}</Text>}
            {item.picture ? (
              <Image accessibilityLabel={item.title} source={{ uri: item.picture }} style={styles.picture} />
            ) : null}
          </View>
        )}
      />
    </SafeAreaView>
  );
}

const styles = StyleSheet.create({
  screen: { flex: 1, gap: 12, margin: 16 },
  heading: { fontSize: 24, fontWeight: 'bold' },
  choice: { alignItems: 'center', flexDirection: 'row', gap: 12 },
  label: { flex: 1 },
  finding: { color: '#9b2c2c' },
  message: { borderLeftColor: '#2b6cb0', borderLeftWidth: 4, marginVertical: 8, paddingHorizontal: 16 },
  title: { fontWeight: 'bold' },
  picture: { aspectRatio: 1.5, resizeMode: 'contain', width: '100%' },
});
