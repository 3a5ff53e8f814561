/**
 * Synonyms, one group per line: verbs first, then nouns. The groups are not specific to any tool; they hold in every program that
 * has files, pages, messages or people.
 */
export const SYNONYMS = `
get read fetch show retrieve view see display load look print open return
list show enumerate all every
read dump whole entire
search find look query locate lookup seek mention
create make new add insert register set propose
add append include put attach
save write store put keep
open visit go navigate browse load
delete remove erase forget drop discard clear
update change edit modify replace overwrite patch set rewrite alter correct fix
move rename put transfer relocate
copy fork duplicate clone
send post write tell say publish announce
answer reply respond
request ask
run execute evaluate call invoke
press click tap tick hit push choose
hover point
type enter fill input write put
fill complete
pick choose select switch set
close end quit leave
stop cancel abort end finish
start begin launch trigger
upload attach file choose
download fetch save
watch monitor track follow
combine merge join
connect link relation relationship connection
compress zip gzip archive
simulate emulate pretend
resize size layout
enable disable toggle turn
schedule plan book arrange
invite share
accept approve confirm allow
reject dismiss decline deny
check verify audit test status
examine inspect analyze review audit
quality audit
compute calculate evaluate count
sum add plus total
convert transform translate
repeat again echo
explain describe detail info information
picture image photo screenshot preview
capture screenshot snapshot picture
audio video media sound
film record screencast video
folder directory path subdirectory subfolder
file document spreadsheet disk
name rename title
content text body
site website web page internet
url address link uri
tab window page
screen window page device
repository repo project codebase source
issue ticket bug problem
person people user member colleague author reviewer
account user profile
email phone contact profile
company customer supplier entity
team group channel
message chat mail
conversation discussion thread chat
comment remark note discussion review reviewer
emoji smiley reaction react
fact observation note knowledge remark
fact true wrong
thing entity object node
javascript js script code
method function class code
popup alert dialog confirmation box prompt message
mouse pointer cursor hover
key keyboard
drag slide slider
dropdown select option combobox
checkbox box form
input field box text
log console output error warning
log history
traffic network request call
response answer
history commit log
commit save push
diff change
build check status
error failure problem exception report
slow performance speed latency throttle
style css layout colour color font
print media
paper article publication
table database sheet spreadsheet
row record entry item
event appointment meeting calendar
place location map
price cost payment money
size big large byte
date time day
permission access
credential key secret token password
environment variable configuration setting
container pod instance
machine server host
memory heap
structure tree layout hierarchy draw
thought think thinking reason plan
progress status running long
background network
previous back
wait until appear ready
environment env
tiny small little mini
subscribe subscription follow
operation job task process
research study science scientific
handle accept dismiss answer
scrape extract crawl download grab
crawl site all every
feedback rating opinion
related similar like
credit balance quota remaining usage
usage consumption
trace profile measure recording
property attribute field column
children child sub below inside nested
self myself me
block paragraph section
install deploy
scale grow shrink
emoji like thumb heart
internet web online
ping alive reachable
`;

/** Phrases, each with the words that replace it because its single words would mislead. */
export const PHRASE_MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/\blook(?:ing|s)?(?: up| for)\b/g, 'search'],
  [/\b(?:get|getting) rid of\b|\b(?:take|throw|cut)s?(?: it| them)?(?: out| away| off)\b/g, 'delete'],
  [/\b(?:write|note|jot)s? (?:\w+ )?down\b|\bkeep in mind\b|\bremember that\b/g, 'add note fact'],
  [/\bset(?:ting)? up\b/g, 'create'],
  [/\b(?:turn|switch)(?:ing)?(?: \w+)? (?:on|off)\b/g, 'toggle'],
  [/\bfill(?:ing)? (?:in|out)\b/g, 'fill'],
  [/\b(?:write|get) back\b/g, 'reply'],
  [/\bgo(?:ing)? back\b|\breturn(?:ing)? to\b/g, 'navigate back'],
  [/\bcatch up\b/g, 'read history'],
  [/\bhold on\b/g, 'wait'],
  [/\b(?:stored|saved|known?|anything|something)(?: \w+)? (?:about|on)\b/g, 'search knowledge'],
  [/\bhow (?:\w+ )*looks?\b|\blooks? like\b/g, 'screenshot'],
  [/\bc[ao]mes? back\b/g, 'response'],
  [/\bpart of\b|\bbits? of\b|\bpieces? of\b/g, ''],
  [/\bput(?:ting)? together\b/g, 'combine'],
  [/\badd(?:ing|s)? up\b/g, 'sum'],
  [/\bkeep an eye on\b/g, 'monitor'],
  [/\bpop(?:s|ped)?[ -]up\b/g, 'popup'],
  [/\bdrop[ -]?down\b/g, 'dropdown'],
  [/\bcheck ?box\b/g, 'checkbox'],
  [/\bup[ -]to[ -]date\b|\bis behind\b/g, 'update'],
  [/\bat once\b|\btogether\b|\bin one go\b|\bboth\b|\bseveral\b/g, 'multiple'],
  [/\bhow (?:big|large|long)\b/g, 'size'],
];

/** Question words, each with the words that they imply. Implied words count less than stated ones. */
export const QUESTION_MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/\bhow (?:many|much)\b/, 'count list'],
  [/\bwho\b/, 'user'],
  [/\bwhen\b/, 'time'],
  [/\bwhere\b/, 'search'],
  [/\bwhy\b|\bwhat makes\b/, 'analyze'],
  [/\bwhich\b|\bare there\b/, 'list search'],
  [/\bwhat\b/, 'get list'],
  [/\b(?:i|we) need\b/, 'create'],
];
