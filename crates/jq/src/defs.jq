# jq's functions that are made of others. The native ones are in natives.rs and text.rs.
def null: [][0];
def true: 0 == 0;
def false: 0 != 0;
def not: if . then false else true end;
def empty: {}[] as $x | .;
def error: error_empty as $x | .;
def error(msgs): (msgs | error_empty) as $x | .;
def select(f): if f then . else empty end;
def tostring: "\(.)";

def values: select(. != null);
def nulls: select(. == null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type | . == "array" or . == "object");
def scalars: select(type | . != "array" and . != "object");

def isinfinite: . == infinite or . == -infinite;
def isfinite: type == "number" and (isinfinite | not);
def isnormal: type == "number" and ((. == 0 or isnan or isinfinite) | not);
def finites: select(isfinite);
def normals: select(isnormal);
def abs: if type != "number" then error("\(named) has no absolute value") elif . < 0 then -. else . end;
def toarray: if type == "array" then . else [.] end;
def pow10: pow(10; .);
def gamma: lgamma;
def lgamma_r: lgamma;
def logb: if . == 0 then -infinite elif isinfinite then infinite elif isnan then . else ilogb end;
def significand: if isinfinite or isnan or . == 0 then . else scalbln(.; -ilogb) end;
def drem(l; r): remainder(l; r);
def nexttoward(x; y): nextafter(x; y);
def scalb(x; e): x * pow(2; e);

def range(upto): range(0; upto; 1);
def range(from; upto): range(from; upto; 1);
def repeat(f): def rec: ., (f | rec); rec;
def recurse(f): def rec: ., (f | rec); rec;
def recurse: recurse(.[]?);
def recurse(f; cond): def rec: ., (f | select(cond) | rec); rec;
def while(cond; update): def rec: if cond then ., (update | rec) else empty end; rec;
def until(cond; update): def rec: if cond then . else update | rec end; rec;
def isempty(g): first((g | false), true);
def isvalid(f): try (f | true) catch false;
def add(f): reduce f as $x (null; . + $x);
def add: add(.[]);
def any(g; cond): isempty(first(g | cond | select(.))) | not;
def all(g; cond): isempty(first(g | cond | select(. | not)));
def any(cond): any(.[]; cond);
def all(cond): all(.[]; cond);
def any: any(.[]; .);
def all: all(.[]; .);
def first: .[0];
def last: .[-1];
def nth($n): .[$n];
def nth($n; g): if $n < 0 then error("Out of bounds negative array index") else last(limit($n + 1; g)) end;
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def IN(src): any(src == .; .);
def IN(src; s): any(src == s; .);
def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] |= $row);
def INDEX(f): INDEX(.[]; f);
def GROUP_BY(f): group_by(f);
def ascii: [.] | implode;

def map(f): [.[] | f];
def map_values(f): .[] |= f;
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f; w;
def paths: path(..) | select(length > 0);
def paths(f): path_value(..) | select(.[0] | length > 0) | select(.[1] | f) | .[0];
def leaf_paths: paths(scalars);
def getpath($path): reduce $path[] as $p (.; .[$p]);
def setpath($path; $x): getpath($path) = $x;
def del(f): delpaths([path(f)]);
def pick(f): . as $top | reduce path(f) as $p (null; setpath($p; $top | getpath($p)));
def to_entries: [keys_unsorted[] as $k | {key: $k, value: .[$k]}];
def from_entries: reduce .[] as $x ({}; . + { ($x | if type == "object"
    then (if has("key") then .key elif has("k") then .k elif has("name") then .name elif has("Name") then .Name elif has("Key") then .Key elif has("K") then .K else null end)
    else .key end | if type == "string" then . elif type == "null" then "null" else tojson end):
  ($x | if has("value") then .value elif has("v") then .v elif has("Value") then .Value elif has("V") then .V else null end) });
def with_entries(f): to_entries | map(f) | from_entries;
def min_by(f): reduce min_by_or_empty(f) as $x (null; $x);
def max_by(f): reduce max_by_or_empty(f) as $x (null; $x);
def min: min_by(.);
def max: max_by(.);
def unique_by(f): [group_by(f)[] | .[0]];
def unique: unique_by(.);
def flatten($d): if $d < 0 then error("flatten depth must not be negative") else
  def f($d): reduce .[] as $x ([]; if ($x | type) == "array" and $d > 0 then . + ($x | f($d - 1)) else . + [$x] end);
  f($d) end;
def flatten: flatten(1e9);
def transpose: if . == [] then [] else . as $in | (map(length) | max) as $max | [range(0; $max) as $j | [range(0; $in | length) as $i | $in[$i][$j]]] end;
def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;
def combinations($n): . as $dot | [range($n)] | map($dot) | combinations;
def join($x): reduce .[] as $i (null; (if . == null then "" else . + $x end)
  + ($i | if type == "boolean" or type == "number" then tojson else . // "" end)) // "";
def index($i): indices($i) | .[0];
def rindex($i): indices($i) | .[-1:][0];
def JOIN($idx; f): [.[] | [., $idx[f]]];
def JOIN($idx; stream; f): stream | [., $idx[f]];
def JOIN($idx; stream; f; joined): stream | [., $idx[f]] | joined;

def tostream: path(def r: (.[]? | r), .; r) as $p | getpath($p)
  | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
def fromstream(f): {x: null, e: false} as $init
  | foreach f as $i ($init;
      if .e then $init else . end
      | if $i | length == 2
        then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
        else setpath(["e"]; $i[0] | length == 1) end;
      if .e then .x else empty end);
def truncate_stream(stream): . as $n | null | stream | . as $input
  | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;

def split($sep): split_text($sep);
def match(re; flags): matches(re; flags)[];
def match(re): match(re; null);
def test(re): test(re; null);
def capture_of: [.captures | .[] | select(.name != null) | {key: .name, value: .string}] | from_entries;
def capture(re; flags): match(re; flags) | capture_of;
def capture(re): capture(re; null);
def scan($re; $flags): match($re; "g" + $flags) | if (.captures | length) > 0 then [.captures | .[] | .string] else .string end;
def scan($re): scan($re; null);
def split($re; flags): . as $s | [foreach ((match($re; flags + "g") | [.offset, .length]), null) as $m ({at: 0};
    if $m == null then .out = $s[.at:] else .out = $s[.at:$m[0]] | .at = $m[0] + $m[1] end; .out)];
def splits($re; flags): split($re; flags) | .[];
def splits($re): splits($re; null);
def sub_from($matches; f): . as $s | reduce $matches[] as $m ({at: 0, out: ""};
    ($m | capture_of | f) as $new
    | if $new | type == "string" then . else error("\($m | capture_of | named) cannot be added to a string") end
    | {at: ($m.offset + $m.length), out: (.out + $s[.at:$m.offset] + $new)})
  | .out + $s[.at:];
def sub($re; f; $flags): [match($re; $flags)] as $ms | sub_from($ms; f);
def sub($re; f): sub($re; f; "");
def gsub($re; f; $flags): sub($re; f; $flags + "g");
def gsub($re; f): sub($re; f; "g");

def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def todateiso8601: todate;
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;

def debug: debug_as(.);
def debug(msgs): (msgs | debug_as(.) | empty), .;
def halt: halt(0);
def halt_error: halt_error(5);
def inputs: def rec: next_input as $i | if $i == [] then empty else $i[0], rec end; rec;
def input: next_input as $i | if $i == [] then error("No more inputs") else $i[0] end;
def have_literal_numbers: true;
def have_decnum: false;
def get_search_list: [];

def format($name): if $name == "text" then tostring elif $name == "json" then tojson
  elif $name == "csv" then @csv elif $name == "tsv" then @tsv elif $name == "html" then @html elif $name == "uri" then @uri
  elif $name == "urid" then @urid elif $name == "sh" then @sh elif $name == "base64" then @base64 elif $name == "base64d" then @base64d
  elif $name == "base32" then @base32 elif $name == "base32d" then @base32d
  else error("\($name) is not a valid format") end;
def @text: tostring;
def @json: tojson;
